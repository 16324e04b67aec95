import TestSupport
import Testing

@testable import Workspaces

@Suite struct DeliveryTests {
    /// A session whose agent committed one file and left another uncommitted, collected.
    private func work(_ fixture: CheckoutFixture, _ files: [String: String] = ["done.txt": "done\n"]) async throws {
        try await fixture.begin()
        try await fixture.clone.commit(files.mapValues { $0 }, "done")
        try write("loose\n", to: fixture.checkout.directory + "/loose.txt")
        _ = try await fixture.collect()
    }

    @Test func `kept work is on the session's branch and under its references, with nothing of the checkout touched`()
        async throws
    {
        try await withCheckout { fixture in
            try await work(fixture)
            try write("mine\n", to: fixture.source.directory + "/a.txt")
            #expect(try await fixture.deliver().keep() == .kept(fixture.session.branch))
            #expect(try await fixture.source.git("show", "\(fixture.session.branch):loose.txt") == "loose")
            #expect(try await fixture.source.git("show", "\(fixture.session.references)HEAD:done.txt") == "done")
            #expect(try await fixture.source.git("status", "--porcelain") == "M a.txt")
            #expect(try await fixture.source.git("fsck", "--connectivity-only") == "")
            #expect(try await fixture.deliver().keep() == .kept(fixture.session.branch), "again")
        }
    }

    @Test func `what comes into the repository can be read by whom the repository's own objects can be read`()
        async throws
    {
        try await withCheckout { fixture in
            try await work(fixture)
            _ = try await fixture.deliver().keep()
            let hidden = try await run(
                "find", [fixture.source.directory + "/.git/objects", "-type", "f", "-not", "-perm", "-044"],
                environment: [:])
            #expect(hidden.succeeded && hidden.output == "", "\(hidden)")
        }
    }

    @Test func `a clean checkout is brought along by a merge`() async throws {
        try await withCheckout { fixture in
            try await work(fixture)
            let outcome = try await fixture.deliver().merge(into: "main")
            let head = try await fixture.source.head()
            #expect(outcome == .merged(branch: "main", commit: head, checkedOut: true))
            #expect(try read(fixture.source.directory + "/loose.txt") == "loose\n")
            #expect(try await fixture.source.git("status", "--porcelain") == "")
            #expect(
                try await fixture.deliver().merge(into: "main")
                    == .merged(branch: "main", commit: head, checkedOut: false))
        }
    }

    @Test func `two sides are joined by a merge commit of both`() async throws {
        try await withCheckout { fixture in
            try await work(fixture)
            try await fixture.source.commit(["other.txt": "other\n"], "meanwhile")
            guard case .merged(_, let commit, true) = try await fixture.deliver().merge(into: "main") else {
                Issue.record("not merged")
                return
            }
            #expect(try await fixture.source.head() == commit)
            #expect(
                try await fixture.source.git("rev-list", "--parents", "-n", "1", commit).split(separator: " ").count
                    == 3)
            #expect(try read(fixture.source.directory + "/other.txt") == "other\n")
            #expect(try read(fixture.source.directory + "/done.txt") == "done\n")
        }
    }

    @Test func `a checkout with changes is left as it is, and the branch kept`() async throws {
        try await withCheckout { fixture in
            try await work(fixture)
            try write("mine\n", to: fixture.source.directory + "/a.txt")
            let head = try await fixture.source.head()
            guard case .notMerged(fixture.session.branch, let reason) = try await fixture.deliver().merge(into: "main")
            else {
                Issue.record("merged")
                return
            }
            #expect(reason.contains("not committed"))
            #expect(try await fixture.source.head() == head)
            #expect(try read(fixture.source.directory + "/a.txt") == "mine\n")
        }
    }

    @Test func `an untracked file that the merge would overwrite stays, and the branch is kept`() async throws {
        try await withCheckout { fixture in
            try await work(fixture)
            try write("mine\n", to: fixture.source.directory + "/done.txt")
            guard case .notMerged = try await fixture.deliver().merge(into: "main") else {
                Issue.record("merged")
                return
            }
            #expect(try read(fixture.source.directory + "/done.txt") == "mine\n")
            #expect(try await fixture.source.git("status", "--porcelain") == "?? done.txt")
        }
    }

    @Test func `conflicts keep the branch and name the files`() async throws {
        try await withCheckout { fixture in
            try await work(fixture, ["a.txt": "theirs\n"])
            try await fixture.source.commit(["a.txt": "ours\n"], "meanwhile")
            let head = try await fixture.source.head()
            #expect(
                try await fixture.deliver().merge(into: "main")
                    == .conflicts(kept: fixture.session.branch, files: ["a.txt"]))
            #expect(try await fixture.source.head() == head)
            #expect(try await fixture.source.git("status", "--porcelain") == "")
        }
    }

    @Test func `a branch that is not checked out moves, and the checkout does not`() async throws {
        try await withCheckout { fixture in
            try await work(fixture)
            try await fixture.source.git("checkout", "-q", "-b", "elsewhere")
            guard case .merged("main", let commit, false) = try await fixture.deliver().merge(into: "main") else {
                Issue.record("not merged")
                return
            }
            #expect(try await fixture.source.git("rev-parse", "main") == commit)
            #expect(!exists(fixture.source.directory + "/done.txt"))
        }
    }

    @Test func `work that the user has gone on with on the session's branch is not moved`() async throws {
        try await withCheckout { fixture in
            try await work(fixture)
            _ = try await fixture.deliver().keep()
            try await fixture.source.git("checkout", "-q", fixture.session.branch)
            let own = try await fixture.source.commit(["own.txt": "own"], "own")
            try await fixture.clone.commit(["later.txt": "later\n"], "later")
            _ = try await fixture.collect()
            #expect(try await fixture.deliver().keep() != .kept(fixture.session.branch))
            #expect(try await fixture.source.git("rev-parse", fixture.session.branch) == own)
            #expect(try await fixture.source.git("show", "\(fixture.session.references)HEAD:later.txt") == "later")
        }
    }

    @Test(arguments: ["workspace.yml", "compose.yml", ".devcontainer/devcontainer.json", "deploy/stack.yml", "deploy"])
    func `what decides over the next session is merged when a person asks for it`(_ path: String) async throws {
        try await withCheckout { fixture in
            try await work(fixture, [path: "x: y\n"])
            var files = DefiningFiles()
            files.names.insert("deploy/stack.yml")
            let head = try await fixture.source.head()
            guard
                case .notMerged(fixture.session.branch, let reason) = try await fixture.deliver().merge(
                    into: "main", withholding: files)
            else {
                Issue.record("merged")
                return
            }
            #expect(reason.contains(path))
            #expect(try await fixture.source.head() == head)
            guard case .merged = try await fixture.deliver().merge(into: "main") else {
                Issue.record("not merged")
                return
            }
        }
    }
}
