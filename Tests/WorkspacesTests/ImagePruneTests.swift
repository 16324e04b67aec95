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
            let bases = ["used", "free"].map { "localhost/so-workspace-base:\($0)-\(token)" }
            let egresses = ["used", "free"].map { "localhost/so-egress:\($0)-\(token)" }
            func build(_ tag: String, _ label: String, _ number: Int = 0) async throws {
                let file = "FROM \(base)\nLABEL \(label) so.workspace.agent=x number=\(tag)-\(number)\n"
                try write(file, to: directory + "/Containerfile")
                let built = try await TestSupport.Podman.run(["build", "-q", "-t", tag, directory])
                try #require(built.succeeded, "\(built)")
            }
            for tag in tags { try await build(tag, "\(WorkspaceImages.label)=true") }
            for tag in bases { try await build(tag, "\(WorkspaceImages.label)=base") }
            for tag in egresses { try await build(tag, "\(WorkspaceImages.egress)=1") }
            let replaced = try await TestSupport.Podman.lines("image", "inspect", "--format", "{{.Id}}", tags[0])[0]
            try await build(tags[0], "\(WorkspaceImages.label)=true", 1)
            var environment = TestSupport.Podman.environment
            (environment["HOME"], environment["XDG_STATE_HOME"]) = (directory, directory + "/state")
            let store = SessionStore(state: directory + "/state/so")
            for (tag, state) in zip(tags, [SessionRecord.State.stopped, .closed, .closed]) {
                var record = SessionRecord(id: try .random(), project: "/p", projectName: "p-00000000", agent: "x")
                (record.image, record.state) = (tag, state)
                record.companionImages = state == .stopped ? [bases[0], egresses[0]] : []
                if tag == tags[1] { record.left = ["work"] }
                try store.write(record)
            }
            let context = WorkspaceContext(environment: environment, dataDirectory: Shared.packageRoot)
            let images = context.images(try ImageEngine.find(environment: environment))
            let gone = try await images.prune(keeping: try context.imagesInUse(), isTrial: true)
            #expect(Set(gone).intersection(tags + bases + egresses) == Set(tags[2...] + [bases[1], egresses[1]]))
            #expect(gone.contains { $0.hasSuffix(replaced) }, "\(replaced) of \(gone)")
            // Records of an older so say nothing of companions.
            let some = WorkspaceImages.InUse(tags: [], isComplete: false)
            #expect(try await Set(images.prune(keeping: some, isTrial: true)).isDisjoint(with: bases + egresses))
            #expect(try await images.list().contains { $0.tag == tags[3] && $0.agent == "x" })
            _ = try await TestSupport.Podman.run(["rmi", "--force", replaced] + tags + bases + egresses)
        }
    }
}
