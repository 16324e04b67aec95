import ExternalTools
import FoundationEssentials
import TestSupport
import Testing

@testable import Specs
@testable import Stacks

/// Real git on repositories of the test's own.
@Suite struct FetchingTests {
    /// A remote with a branch, a branch with `/` in its name, and a tag; and where clones go.
    private struct World {
        let root: String
        let remote: GitRepository
        let first: String

        init(_ root: String) async throws {
            self.root = root
            remote = try await GitRepository(root + "/remotes/org/app")
            first = try await remote.commit(["file": "one\n"])
            try await remote.git("tag", "v1")
            try await remote.git("checkout", "-q", "-b", "feature/x")
            try await remote.commit(["file": "feature\n"])
            try await remote.git("checkout", "-q", "main")
            try await remote.commit(["file": "two\n"])
        }

        func locator(_ reference: String? = nil) throws -> RepositoryLocator {
            try #require(RepositoryLocator(localPath: remote.directory, reference: reference))
        }

        func fetcher(pulls: Bool = false) -> RepositoryFetcher {
            var options = FetchOptions()
            options.pulls = pulls
            return RepositoryFetcher(base: root + "/repos", options: options, git: git)
        }

        private var git: Git {
            var git = Git(inherited: hostEnvironment)
            git.environment.merge(GitRepository.environment) { $1 }
            return git
        }

        @discardableResult
        func fetch(_ reference: String? = nil, pulls: Bool = false) async throws -> RepositoryRecord {
            let records = try await fetcher(pulls: pulls).fetch([locator(reference)])
            return try #require(records.first)
        }

        var clone: String { root + "/repos/localhost\(remote.directory)" }

        func text(_ file: String = "file") throws -> String { try read("\(clone)/\(file)") }

        func gitInClone(_ arguments: String...) async throws -> String {
            try await GitRepository.git(in: clone, arguments)
        }
    }

    private func withWorld(_ body: (World) async throws -> Void) async throws {
        try await withTemporaryDirectory { try await body(World($0)) }
    }

    @Test func `a clone stands at host, organisation and repository, on the default branch`() async throws {
        try await withWorld { world in
            let record = try await world.fetch()
            #expect(record.state == .cloned && record.reference == "main")
            #expect(try world.text() == "two\n")
            #expect(!exists(world.root + "/repos/.so-clones"))
        }
    }

    @Test(arguments: ["feature/x", "refs/heads/feature/x", "v1", "refs/tags/v1"])
    func `a clone is at the reference that was pinned`(reference: String) async throws {
        try await withWorld { world in
            try await world.fetch(reference)
            #expect(try world.text() == (reference.contains("v1") ? "one\n" : "feature\n"))
            let branch = try? await world.gitInClone("symbolic-ref", "--short", "HEAD")
            #expect(branch == (reference.contains("v1") ? nil : "feature/x"))
        }
    }

    @Test func `a commit can be pinned, whole or short, also one that no branch holds any more`() async throws {
        try await withWorld { world in
            try await world.fetch(world.first)
            #expect(try world.text() == "one\n")
            let again = try await world.fetch(String(world.first.prefix(8)))
            #expect(again.state == .unchanged)
            try await world.remote.git("config", "uploadpack.allowAnySHA1InWant", "true")
            let lost = try await world.remote.commit(["file": "lost\n"])
            try await world.remote.git("reset", "-q", "--hard", "HEAD~1")
            try await world.fetch(lost)
            #expect(try world.text() == "lost\n")
        }
    }

    @Test func `a reference that is not there says what there is, and leaves nothing`() async throws {
        try await withWorld { world in
            let error = await #expect(throws: StackError.self) { try await world.fetch("feature/y") }
            #expect(error?.code == .notFound)
            #expect(error?.description.contains("did you mean 'feature/x'?") == true)
            #expect(!exists(world.clone))
            #expect(!exists(world.root + "/repos/.so-clones"))
        }
    }

    @Test func `a second fetch keeps the clone, and pull brings its branch forward`() async throws {
        try await withWorld { world in
            try await world.fetch()
            try await world.remote.commit(["file": "three\n"])
            #expect(try await world.fetch().state == .present)
            #expect(try world.text() == "two\n")
            #expect(try await world.fetch(pulls: true).state == .updated)
            #expect(try world.text() == "three\n")
            #expect(try await world.fetch(pulls: true).state == .unchanged)
        }
    }

    @Test func `pull goes on past a tag only where the pin moves`() async throws {
        try await withWorld { world in
            try await world.fetch("v1")
            try await world.remote.commit(["file": "three\n"])
            #expect(try await world.fetch("v1", pulls: true).state == .unchanged)
            #expect(try world.text() == "one\n")
            try await world.remote.git("tag", "v2")
            #expect(try await world.fetch("v2").state == .updated)
            #expect(try world.text() == "three\n")
            #expect(try await world.fetch("main").reference == "main")
        }
    }

    @Test func `changes that are not committed are never lost`() async throws {
        try await withWorld { world in
            try await world.fetch()
            try write("mine\n", to: world.clone + "/file")
            try await world.remote.commit(["file": "three\n"])
            for wanted in [(String?.none, true), ("v1", false), ("feature/x", true)] {
                let error = await #expect(throws: StackError.self) { try await world.fetch(wanted.0, pulls: wanted.1) }
                #expect(error?.code == .localChanges)
                #expect(try world.text() == "mine\n")
            }
            try await world.remote.commit(["file": "two\n", "other": "new\n"])
            _ = try await world.gitInClone("checkout", "-q", "file")
            try write("mine\n", to: world.clone + "/untracked")
            try await world.fetch(pulls: true)
            #expect(try world.text("untracked") == "mine\n" && world.text("other") == "new\n")
        }
    }

    @Test func `commits that only the clone has are never lost`() async throws {
        try await withWorld { world in
            try await world.fetch()
            try write("mine\n", to: world.clone + "/file")
            _ = try await world.gitInClone("commit", "-q", "-a", "-m", "mine")
            #expect(try await world.fetch(pulls: true).notes == ["is 1 commits ahead of origin"])
            try await world.remote.commit(["other": "three\n"])
            let error = await #expect(throws: StackError.self) { try await world.fetch(pulls: true) }
            #expect(error?.code == .localChanges)
            #expect(error?.description.contains("rebase origin/main") == true)
            _ = try await world.gitInClone("checkout", "-q", "--detach")
            _ = try await world.gitInClone("commit", "-q", "--allow-empty", "-m", "nobody holds this")
            let detached = await #expect(throws: StackError.self) { try await world.fetch("v1") }
            #expect(detached?.message.contains("are on no branch") == true)
            #expect(try world.text() == "mine\n")
        }
    }

    @Test func `a check touches nothing and says how the clone stands`() async throws {
        try await withWorld { world in
            let missing = try await world.fetcher().check([world.locator("v1")])
            #expect(missing.map(\.state) == [.missing])
            #expect(!exists(world.root + "/repos"))
            try await world.fetch()
            try write("mine\n", to: world.clone + "/file")
            let before = try await world.gitInClone("rev-parse", "HEAD")
            let record = try #require(try await world.fetcher(pulls: true).check([world.locator("v1")]).first)
            #expect(record.state == .present && record.commit == before)
            #expect(record.notes == ["has local changes", "not at the requested v1"])
            #expect(try world.text() == "mine\n")
        }
    }

    @Test func `what is not a whole clone is left alone and refused`() async throws {
        try await withWorld { world in
            try write("precious\n", to: world.clone + "/file")
            let error = await #expect(throws: StackError.self) { try await world.fetch() }
            #expect(error?.description.contains("is not a whole git clone") == true)
            #expect(try world.text() == "precious\n")
            removeTree(world.clone)
            // What a killed `git clone` leaves: a repository without a commit.
            _ = try await GitRepository(world.clone)
            await #expect(throws: StackError.self) { try await world.fetch() }
        }
    }

    @Test func `submodules are fetched with their repository`() async throws {
        try await withWorld { world in
            let library = try await GitRepository(world.root + "/remotes/org/library")
            try await library.commit(["code": "library\n"])
            try await world.remote.git("submodule", "add", "-q", library.directory, "vendor")
            try await world.remote.commit([:])
            try await world.fetch()
            #expect(try world.text("vendor/code") == "library\n")
            try await library.commit(["code": "newer\n"])
            try await GitRepository.git(in: world.remote.directory + "/vendor", ["pull", "-q"])
            try await world.remote.commit([:])
            try await world.fetch(pulls: true)
            #expect(try world.text("vendor/code") == "newer\n")
        }
    }

    @Test func `several repositories are fetched together, and the failure of one names only that one`() async throws {
        try await withWorld { world in
            let names = (1...6).map { "part\($0)" }
            var locators: [RepositoryLocator] = []
            for name in names {
                let repository = try await GitRepository(world.root + "/remotes/org/\(name)")
                try await repository.commit(["name": name])
                locators.append(try #require(RepositoryLocator(localPath: repository.directory)))
            }
            let missing = try #require(RepositoryLocator(localPath: world.root + "/remotes/org/none"))
            let error = await #expect(throws: StackError.self) { try await world.fetcher().fetch(locators + [missing]) }
            #expect(error?.code == .fetchFailed)
            #expect(error?.description.contains("org/none could not be fetched") == true)
            let states = try await world.fetcher().fetch(locators).map(\.state)
            #expect(states == Array(repeating: .present, count: 6))
        }
    }

    @Test func `repositories of one name do not collide`() async throws {
        try await withWorld { world in
            let other = try await GitRepository(world.root + "/remotes/elsewhere/app")
            try await other.commit(["file": "other\n"])
            try await world.fetch()
            let locator = try #require(RepositoryLocator(localPath: other.directory))
            let record = try #require(try await world.fetcher().fetch([locator]).first)
            #expect(record.directory != world.clone)
            #expect(try read(record.directory + "/file") == "other\n")
            #expect(try world.text() == "two\n")
        }
    }

    @Test func `a repository cannot be cloned into another's work tree`() async throws {
        try await withWorld { world in
            try await world.fetch()
            let locator = try #require(RepositoryLocator(localPath: world.remote.directory + "/inner"))
            let error = await #expect(throws: StackError.self) { try await world.fetcher().fetch([locator]) }
            #expect(error?.description.contains("would be inside the clone") == true)
        }
    }

    @Test func `credentials in git's messages are not shown`() {
        let said = "fatal: unable to access 'https://me:secret@host.example/a/b/': 403"
        #expect(textWithoutCredentials(said) == "fatal: unable to access 'https://host.example/a/b/': 403")
    }
}
