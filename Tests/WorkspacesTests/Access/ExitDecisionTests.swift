import AgentLoop
import ExternalTools
import TestSupport
import Testing

@testable import Workspaces

@Suite struct ExitDecisionTests {
    private let failed = AgentResult(exitCode: 1, succeeded: false)
    private let ended = AgentResult(exitCode: 0, succeeded: nil)

    @Test func `what was asked for goes before a question, and what is not asked is kept`() {
        func decide(_ wanted: ExitPolicy?, _ result: AgentResult?, _ canAsk: Bool, _ hasWork: Bool = true)
            -> ExitDecision
        {
            ExitDecision(wanted, result: result, canAsk: canAsk, hasWork: hasWork)
        }
        #expect(decide(.discard, ended, true) == .decided(.discard))
        #expect(decide(.merge, ended, false) == .decided(.merge))
        #expect(decide(.merge, nil, false) == .decided(.merge))
        #expect(decide(nil, ended, true) == .ask)
        #expect(decide(nil, ended, true, false) == .decided(.keep))
        #expect(decide(nil, failed, false) == .decided(.keep))
        guard case .instead(.keep, _) = decide(.merge, failed, true) else {
            Issue.record("the work of an agent that failed is merged")
            return
        }
    }

    @Test(arguments: ["", "-u", "ext::sh -c id", "fd::17", "javascript://x", "--upload-pack=x"])
    func `a repository that could run a program is refused`(_ url: String) {
        #expect(throws: WorkspaceError.self) { try ProjectClone(url, in: "/tmp") }
    }

    @Test(arguments: [
        ("https://github.com/org/repo.git", "/p/repo"), ("git@github.com:org/repo", "/p/repo"), ("/srv/x", "/p/x"),
        ("host:repo.git", "/p/repo"),
    ])
    func `a clone has the repository's name`(_ url: String, _ directory: String) throws {
        #expect(try ProjectClone(url, in: "/p").directory == directory)
    }

    @Test func `a clone goes into nothing that is something else, and a failed one leaves nothing`() async throws {
        try await withTemporaryDirectory { directory in
            let source = try await GitRepository(directory + "/source")
            try await source.commit(["a.txt": "one\n"])
            let clone = try ProjectClone(directory + "/source", name: "here", in: directory)
            try await clone.make(with: Git(inherited: hostEnvironment))
            #expect(try read(directory + "/here/a.txt") == "one\n")
            try await clone.make(with: Git(inherited: hostEnvironment))
            let other = try ProjectClone(directory + "/other", name: "here", in: directory)
            await #expect(throws: WorkspaceError.self) { try await other.make(with: Git(inherited: hostEnvironment)) }
            let absent = try ProjectClone(directory + "/absent", in: directory)
            await #expect(throws: WorkspaceError.self) { try await absent.make(with: Git(inherited: hostEnvironment)) }
            #expect(!exists(directory + "/absent") && !exists(directory + "/absent.so-clone"))
        }
    }
}
