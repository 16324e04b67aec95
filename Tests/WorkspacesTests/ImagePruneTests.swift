import Deployments
import TestSupport
import Testing

@testable import Workspaces

/// Which images a prune would remove. It removes none here: other tests use those of this podman.
@Suite(.pods) struct ImagePruneTests {
    @Test func `what a session or a workspace names stays, and so does what was left of one`() async throws {
        try await withTemporaryDirectory("so-prune") { directory in
            let base = try await TestSupport.Podman.testImage()
            let token = randomToken().lowercased()
            let tags = ["used", "left", "closed", "free"].map { "localhost/so-workspace:\($0)-\(token)" }
            for tag in tags {
                let file = "FROM \(base)\nLABEL \(WorkspaceImages.label)=true so.workspace.agent=x number=\(tag)\n"
                try write(file, to: directory + "/Containerfile")
                let built = try await TestSupport.Podman.run(["build", "-q", "-t", tag, directory])
                try #require(built.succeeded, "\(built)")
            }
            var environment = TestSupport.Podman.environment
            (environment["HOME"], environment["XDG_STATE_HOME"]) = (directory, directory + "/state")
            let store = SessionStore(state: directory + "/state/so")
            for (tag, state) in zip(tags, [SessionRecord.State.stopped, .closed, .closed]) {
                var record = SessionRecord(id: try .random(), project: "/p", projectName: "p-00000000", agent: "x")
                (record.image, record.state) = (tag, state)
                if tag == tags[1] { record.left = ["work"] }
                try store.write(record)
            }
            let context = WorkspaceContext(environment: environment, dataDirectory: Shared.packageRoot)
            let images = context.images(try ImageEngine.find(environment: environment))
            let gone = try await images.prune(keeping: try context.imagesInUse(), isTrial: true)
            #expect(Set(gone).intersection(tags) == Set(tags[2...]))
            #expect(try await images.list().contains { $0.tag == tags[3] && $0.agent == "x" })
            _ = try await TestSupport.Podman.run(["rmi", "--force"] + tags)
        }
    }
}
