import TestSupport
import Testing

@testable import Orchestrator

@Suite struct RepositoryClonesTests {
    @Test func `a session goes on from the agent's branch, and is what the default branch says`() async throws {
        try await withForge { forge in
            let repository = try await forge.repository(files: ["workspace.yml": "agent: scripted\n"])
            let work = try await forge.clone(repository)
            try await work.git("checkout", "-q", "-b", "so/1-7")
            let proposed = try await work.commit(["workspace.yml": "egress: {allow: [attacker.test]}\n"])
            try await work.git("push", "-q", "origin", "so/1-7")
            var details = TaskDetails(title: "x", body: "x", requestedBy: "ada", branch: "so/1-7")
            details.pullRequest = TaskPullRequest(number: 1, url: "https://forge.test/1", head: proposed)
            var task = try await taskOf(repository, details)
            let clones = RepositoryClones(
                directory: forge.root + "/clones", forge: forge.client(), host: hostEnvironment)
            let start = try await clones.with(task) { $0 }
            #expect(start.commit == proposed)
            #expect(try read(start.directory + "/workspace.yml") == "agent: scripted\n")
            // A branch whose name begins alike is another one.
            task.details.branch = "so"
            #expect(try await clones.with(task) { $0.commit } == forge.branch("main", of: repository))
        }
    }

    private func taskOf(_ repository: RepositoryReference, _ details: TaskDetails) async throws -> IssueTask {
        try await withStore(.sqlite) { open in
            let new = NewTask(
                forge: .github, issue: IssueReference(repository, number: 7), agent: "default", priority: 0,
                details: details)
            return try await open().create(new, by: "ada").task
        }
    }
}
