import FoundationEssentials
import Orchestrator
import SystemCrypto
import TestSupport
import Testing

/// What every forge has to do: one list, run on each of them.
@Suite struct ForgeTests {
    private func issue(_ forge: TestForge, _ repository: RepositoryReference) async -> IssueReference {
        await forge.state.change(repository.name) {
            $0.issues[1] = .init(
                number: 1, title: "Spelling", body: "", author: "ada", labels: ["so"],
                labelled: [.init("so", by: "ada")])
            $0.issues[2] = .init(number: 2, title: "Closed", body: "", author: "ada", labels: ["so"], isOpen: false)
            $0.issues[3] = .init(number: 3, title: "Unlabelled", body: "", author: "ada")
        }
        return IssueReference(repository, number: 1)
    }

    @Test(arguments: ForgeKind.allCases)
    func `a repository's name leads to no other address, neither by the API nor by git`(kind: ForgeKind) async throws {
        try await withForge(kind) { forge in
            let client = forge.client()
            for name in [
                "../../user", "acme/../../x", "acme/shop?x=", "acme/shop#", "http://169.254.169.254/latest", "acme/-x",
                "acme@evil.invalid/shop", "acme/shop\nHost: evil", "/acme/shop", "acme//shop", "ext::sh -c id/x",
            ] {
                let reference = RepositoryReference(id: 1, name: name)
                let error = await #expect(throws: OrchestratorError.self) { try await client.repository(name) }
                #expect(error?.code == .invalid, "\(name)")
                await #expect(throws: OrchestratorError.self) {
                    try await client.fetch(reference, into: "/nonexistent", host: hostEnvironment)
                }
                await #expect(throws: OrchestratorError.self) { try await client.defaultBranch(of: reference) }
            }
            #expect(await forge.state.requests == [])
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a repository, its default branch and its issues are read`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let (client, reference) = (forge.client(), await issue(forge, repository))
            try await client.check()
            #expect(try await client.repository("acme/shop") == repository)
            #expect(try await client.defaultBranch(of: repository) == "main")
            let read = try await client.issue(reference)
            #expect(read.title == "Spelling" && read.labels == ["so"] && read.isOpen && read.body.isEmpty)
            #expect(try await client.openIssues(label: "so", in: repository).map(\.reference.number) == [1])
            #expect(try await client.labelling(of: "so", on: reference)?.by.login == "ada")
            #expect(try await client.labelling(of: "bug", on: reference) == nil)
        }
    }

    @Test(arguments: ForgeKind.allCases) func `who may write is asked at the forge, and nobody may nothing`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            await forge.state.change(repository.name) {
                $0.permissions = ["ada": "write", "eve": "read", "root": "admin"]
            }
            let client = forge.client()
            for (login, right) in [("ada", ForgePermission.write), ("eve", .read), ("root", .admin), ("bob", .none)] {
                #expect(try await client.permission(of: login, in: repository) == right)
            }
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a comment is found by its marker, on any page, if it is our own`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let (client, reference) = (forge.client(), await issue(forge, repository))
            await forge.state.change(repository.name) { repository in
                for number in 1...5 {
                    repository.comments.append(
                        .init(id: Int64(number), issue: 1, author: "eve", body: "copied <!-- so:task-7 -->"))
                }
            }
            #expect(try await client.findComment(marker: "<!-- so:task-7 -->", on: reference) == nil)
            let made = try await client.createComment("at work\n<!-- so:task-7 -->", on: reference)
            #expect(try await client.findComment(marker: "<!-- so:task-7 -->", on: reference) == made)
            try await client.editComment(made, "done\n<!-- so:task-7 -->", on: reference)
            let comments = await forge.state.comments(repository.name)
            #expect(comments.count == 6 && comments.last?.edits == 1)
            #expect(comments.last?.body.hasPrefix("done") == true)
        }
    }

    @Test(arguments: ForgeKind.allCases) func `labels come and go, and a label that is not there is no error`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let (client, reference) = (forge.client(), await issue(forge, repository))
            try await client.addLabel("bug", to: reference)
            #expect(await forge.state.repositories[repository.name]?.issues[1]?.labels == ["so", "bug"])
            try await client.removeLabel("so", from: reference)
            try await client.removeLabel("so", from: reference)
            #expect(await forge.state.repositories[repository.name]?.issues[1]?.labels == ["bug"])
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a pull request is opened once, and found again`(kind: ForgeKind)
        async throws
    {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let client = forge.client()
            #expect(try await client.findPullRequest(head: "so/1-x", in: repository) == nil)
            let wanted = NewPullRequest(
                repository: repository, title: "Fix", body: "Closes #1", head: "so/1-x", base: "main", isDraft: true)
            let first = try await client.openPullRequest(wanted)
            #expect(first.headBranch == "so/1-x" && first.baseBranch == "main" && first.isOpen)
            #expect(try await client.openPullRequest(wanted) == first)
            #expect(try await client.findPullRequest(head: "so/1-x", in: repository) == first)
            #expect(try await client.pullRequest(first.number, in: repository) == first)
            #expect(await forge.state.pulls(repository.name).count == 1)
            await forge.state.change(repository.name) {
                $0.pulls[0].isOpen = false
                $0.pulls[0].isMerged = true
            }
            let merged = try await client.findPullRequest(head: "so/1-x", in: repository)
            #expect(merged?.isMerged == true && merged?.isOpen == false)
        }
    }

    @Test(arguments: ForgeKind.allCases)
    func `a pull request of a stranger's fork is not the branch's, whatever the fork's branch is called`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let client = forge.client()
            await forge.state.change(repository.name) {
                $0.pulls = [
                    .init(number: 50, title: "Mine", body: "", head: "so/1-x", base: "main", isFork: true)
                ]
            }
            #expect(try await client.findPullRequest(head: "so/1-x", in: repository) == nil)
            let own = try await client.openPullRequest(
                NewPullRequest(repository: repository, title: "Fix", body: "", head: "so/1-x", base: "main"))
            #expect(own.number != 50)
            #expect(try await client.findPullRequest(head: "so/1-x", in: repository) == own)
        }
    }

    @Test func `a secondary limit that says nothing of its time is waited for, and is no missing permission`()
        async throws
    {
        try await withForge { forge in
            let repository = try await forge.repository()
            await forge.state.refuse(.secondaryUnsaid)
            let client = GitHub(
                api: forge.api, secret: [], authentication: .token(TestForge.token), isPatient: false,
                writeInterval: .zero)
            let error = await #expect(throws: OrchestratorError.self) { try await client.defaultBranch(of: repository) }
            #expect(error?.code == .unavailable)
        }
    }

    @Test func `GitHub's older statuses are checks too, and a token that may not read them sees the others`()
        async throws
    {
        try await withForge { forge in
            let (client, repository) = (forge.client(), try await forge.repository())
            let commit = try await forge.branch("main", of: repository)
            await forge.state.change(repository.name) {
                $0.checks[commit] = [("lint", "success")]
                $0.statuses[commit] = [("ci/old", "success"), ("ci/older", "pending")]
            }
            #expect(try await client.checks(of: commit, in: repository).conclusion == .pending)
            for state in ["failure", "error"] {
                await forge.state.change(repository.name) { $0.statuses[commit] = [("ci/old", state)] }
                let failed = try await client.checks(of: commit, in: repository)
                #expect(failed.conclusion == .failure && failed.failures == ["ci/old"])
            }
            await forge.state.change(repository.name) { $0.statuses[commit] = [("ci/old", "success")] }
            #expect(try await client.checks(of: commit, in: repository).conclusion == .success)
        }
    }

    @Test(arguments: ForgeKind.allCases) func `checks of a commit are summed up`(kind: ForgeKind) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let (client, commit) = (forge.client(), String(repeating: "a", count: 40))
            #expect(try await client.checks(of: commit, in: repository).conclusion == .pending)
            await forge.state.change(repository.name) {
                $0.checks[commit] = [("lint", "success"), ("test", "success")]
            }
            #expect(try await client.checks(of: commit, in: repository).conclusion == .success)
            await forge.state.change(repository.name) {
                $0.checks[commit] = [("lint", "success"), ("test", "failure")]
            }
            let failed = try await client.checks(of: commit, in: repository)
            #expect(failed.conclusion == .failure && failed.failures == ["test"])
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a branch is pushed with a lease, and pushed again without harm`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let client = forge.client()
            let session = try await forge.clone(repository)
            let first = try await session.commit(["a.txt": "1\n"])
            var push = BranchPush(
                repository: repository, gitDirectory: session.directory + "/.git", host: hostEnvironment,
                branch: "so/1-x", commit: first,
                expected: nil)
            try await client.push(push)
            try await client.push(push)
            #expect(try await forge.branch("so/1-x", of: repository) == first)
            let second = try await session.commit(["a.txt": "2\n"])
            push.commit = second
            push.expected = first
            try await client.push(push)
            #expect(try await forge.branch("so/1-x", of: repository) == second)
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a branch that somebody else has pushed to is not overwritten`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let (session, other) = (try await forge.clone(repository), try await forge.clone(repository))
            let theirs = try await other.commit(["b.txt": "theirs\n"])
            try await other.git("push", "-q", "origin", "HEAD:refs/heads/so/1-x")
            let ours = try await session.commit(["a.txt": "ours\n"])
            let push = BranchPush(
                repository: repository, gitDirectory: session.directory + "/.git", host: hostEnvironment,
                branch: "so/1-x", commit: ours,
                expected: nil)
            let error = await #expect(throws: TaskFailure.self) { try await forge.client().push(push) }
            #expect(error?.kind == .refused && error?.message.contains(theirs) == true)
            #expect(try await forge.branch("so/1-x", of: repository) == theirs)
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a repository that the token does not see is missing`(kind: ForgeKind)
        async throws
    {
        try await withForge(kind) { forge in
            let error = await #expect(throws: OrchestratorError.self) {
                try await forge.client().repository("acme/nope")
            }
            #expect(error?.code == .missing)
            #expect(error?.description.contains(TestForge.token) == false)
        }
    }

    @Test(
        arguments: ForgeKind.allCases,
        ["../../user", "acme", "acme/shop/../x", "acme/sh?op", "acme/-x", "a b/c", "acme/"])
    func `a repository's name leads to no other path`(kind: ForgeKind, name: String) async throws {
        try await withForge(kind) { forge in
            let error = await #expect(throws: OrchestratorError.self) { try await forge.client().repository(name) }
            #expect(error?.code == .invalid)
            #expect(await forge.state.requests.isEmpty)
        }
    }

    @Test(arguments: ForgeKind.allCases) func `limits are waited for, and a passing failure of a read is repeated`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let (client, reference) = (forge.client(), await issue(forge, repository))
            await forge.state.refuse(
                .secondary(retryAfter: 1), .primary(reset: Int(Date().timeIntervalSince1970)))
            let start = ContinuousClock.now
            _ = try await client.createComment("hello", on: reference)
            #expect(start.duration(to: .now) >= .seconds(1))
            #expect(await forge.state.comments(repository.name).count == 1)
            await forge.state.refuse(.server)
            #expect(try await client.issue(reference).title == "Spelling")
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a write that may have been done is not repeated blindly`(
        kind: ForgeKind
    ) async throws {
        try await withForge(kind) { forge in
            let repository = try await forge.repository()
            let (client, reference) = (forge.client(), await issue(forge, repository))
            await forge.state.refuse(.server)
            let error = await #expect(throws: OrchestratorError.self) {
                try await client.createComment("hello", on: reference)
            }
            #expect(error?.code == .unavailable)
            #expect(await forge.state.comments(repository.name).isEmpty)
        }
    }

    @Test(arguments: ForgeKind.allCases) func `a token is shown to no other server`(kind: ForgeKind) async throws {
        try await withForge(kind) { forge in
            try await withForge(kind) { other in
                let repository = try await forge.repository()
                await forge.state.refuse(.redirect(to: "\(other.api)/repos/acme/shop"))
                await #expect(throws: OrchestratorError.self) { try await forge.client().repository(repository.name) }
                #expect(await other.state.requests.isEmpty)
            }
        }
    }

    @Test(arguments: ForgeKind.allCases) func `git shows its token to no other server either`(kind: ForgeKind)
        async throws
    {
        try await withForge(kind) { forge in
            try await withForge(kind) { other in
                let repository = try await forge.repository()
                _ = try await other.repository()
                let store = forge.root + "/store.git"
                try await GitRepository.git(in: forge.root, ["init", "-q", "--bare", store])
                await forge.state.moveGit(to: other.web)
                await #expect(throws: OrchestratorError.self) {
                    try await forge.client().fetch(repository, into: store, host: hostEnvironment)
                }
                #expect(await forge.state.gitRequests > 0)
                #expect(await other.state.gitRequests == 0)
            }
        }
    }
}
