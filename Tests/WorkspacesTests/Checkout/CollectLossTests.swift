import ExternalTools
import TestSupport
import Testing

@testable import Workspaces

/// Work that a collection could lose: because it is somewhere else, broken, or hidden behind an older one.
@Suite struct CollectLossTests {
    private func shell(_ fixture: CheckoutFixture, _ script: String) async throws {
        let done = try await run(
            "bash", ["-euc", script], environment: GitRepository.environment, directory: fixture.checkout.directory)
        try #require(done.succeeded, "\(done)")
    }

    @Test func `what a killed git left in the stores holds nobody up, and what one at work has there stays`()
        async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            _ = try await fixture.collect()
            let (base, collected) = (fixture.stores.base, fixture.stores.collected)
            let left =
                [base, collected].flatMap {
                    ["\($0)/packed-refs.lock", "\($0)/config.lock", "\($0)/objects/pack/tmp_pack_1"]
                }
                + ["\(base)/refs/heads/main.lock", "\(collected)/\(fixture.session.references)HEAD.lock"]
            for file in left { try write("", to: file) }
            try await fixture.source.commit(["a.txt": "newer\n"], "newer")
            try await fixture.base.prepare(fixture.session, from: fixture.project(), at: fixture.start)
            try await fixture.clone.commit(["done.txt": "done\n"], "done")
            _ = try await fixture.collect()
            #expect(try await fixture.collectedFile("done.txt", at: "HEAD") == "done")
            #expect(left.filter { exists($0) } == [])

            try write("", to: left[0])
            _ = try await run("sleep", ["1000"], environment: hostEnvironment, directory: base) { git in
                try AbandonedLocks(store: base).remove()
                #expect(exists(left[0]))
                git.killNow()
            }
            try AbandonedLocks(store: base).remove()
            #expect(!exists(left[0]))
        }
    }

    @Test func `what was loose once does not stand before what was committed since`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            try write("half\n", to: clone.directory + "/a.txt")
            let early = try await fixture.collect().references["\(fixture.session.references)wip"]
            let commit = try await clone.commit(["a.txt": "whole\n", "more.txt": "more\n"], "all of it")
            _ = try await fixture.collect()
            let kept = try await fixture.collected.references(of: fixture.session)
            #expect(kept["\(fixture.session.references)wip"] == nil)
            #expect(kept["\(fixture.session.references)earlier/1/wip"] == early)
            _ = try await fixture.deliver().merge(into: "main")
            #expect(try await fixture.source.head() == commit)
            #expect(try read(fixture.source.directory + "/more.txt") == "more\n")
        }
    }

    @Test func `a branch that gives way to a folder of branches takes no other reference with it`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            try await clone.git("branch", "a")
            try await clone.commit(["one.txt": "one\n"], "one")
            let old = try await clone.git("rev-parse", "a")
            _ = try await fixture.collect()
            _ = try await fixture.deliver().keep()
            try await clone.git("branch", "-D", "a")
            try await clone.git("branch", "a/b")
            let commit = try await clone.commit(["two.txt": "two\n"], "two")
            _ = try await fixture.collect()
            let kept = try await fixture.collected.references(of: fixture.session)
            #expect(kept["\(fixture.session.references)HEAD"] == commit)
            #expect(kept["\(fixture.session.references)heads/a/b"] != nil)
            #expect(kept["\(fixture.session.references)heads/a"] == nil)
            #expect(kept.values.contains(old))
            #expect(kept.keys.filter { $0.contains("renamed") } == [])
            #expect(try await fixture.deliver().keep() == .kept(fixture.session.branch))
            #expect(try await fixture.source.git("rev-parse", fixture.session.branch) == commit)
        }
    }

    @Test func `a repository that the agent recreated comes out, with the files, and its history is told apart`()
        async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            try await shell(
                fixture, "rm -rf .git; git init -q; git config user.name x; git config user.email x@y; echo new >n.txt")
            let unborn = try await fixture.collect()
            #expect(unborn.incomplete == [])
            #expect(try await fixture.collectedFile("n.txt", at: "wip") == "new")
            try await shell(fixture, "git add -A; git commit -qm anew; echo loose >l.txt")
            _ = try await fixture.collect()
            #expect(try await fixture.collectedFile("l.txt", at: "wip") == "loose")
            guard case .notMerged(_, let reason) = try await fixture.deliver().merge(into: "main") else {
                Issue.record("merged")
                return
            }
            #expect(reason.contains("history"))
        }
    }

    @Test func `a checkout without its repository still gives its files`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            try await shell(fixture, "rm -rf .git; echo new >n.txt; echo log >x.log")
            let summary = try await fixture.collect()
            #expect(summary.incomplete == [])
            #expect(try await fixture.collectedFile("n.txt", at: "wip") == "new")
            await #expect(throws: (any Error).self) { try await fixture.collectedFile("x.log", at: "wip") }
            guard case .merged = try await fixture.deliver().merge(into: "main") else {
                Issue.record("not merged")
                return
            }
            #expect(try read(fixture.source.directory + "/n.txt") == "new\n")
        }
    }

    @Test(arguments: ["echo broken >.git/HEAD", "echo '[' >.git/config", "rm -rf .git; echo x >.git"])
    func `of a repository that git cannot read the files come out, and what stays is told`(_ harm: String) async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            try await shell(fixture, "echo new >n.txt; \(harm)")
            let summary = try await fixture.collect()
            #expect(summary.incomplete.contains { $0.contains("cannot read") }, "\(summary.incomplete)")
            #expect(try await fixture.collectedFile("n.txt", at: "wip") == "new")
        }
    }

    @Test func `a checkout that is gone is no reason not to end, and the other repositories come out`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let other = try await GitRepository(fixture.directory + "/pod/other")
            try await other.commit(["o.txt": "other\n"], "other")
            removeTree(fixture.checkout.directory)
            let summary = try await fixture.collect()
            #expect(summary.incomplete == [])
            #expect(summary.references.keys.contains { $0.hasSuffix("/HEAD") && $0.contains("/repos/") })
        }
    }

    @Test func `a broken configuration of the user in the pod stops nothing`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            var fixture = fixture
            fixture.shell.environment["HOME"] = fixture.directory + "/home"
            try write("[\n", to: fixture.directory + "/home/.gitconfig")
            try write("new\n", to: fixture.checkout.directory + "/n.txt")
            _ = try await fixture.collect()
            #expect(try await fixture.collectedFile("n.txt", at: "wip") == "new")
        }
    }

    @Test
    func `repositories beside the checkout come out, bare ones too, and clones without anything of their own do not`()
        async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            let beside = try await GitRepository(fixture.directory + "/pod/beside")
            let commit = try await beside.commit(["b.txt": "beside\n"], "beside")
            try await GitRepository.git(
                in: fixture.directory, ["clone", "-q", "--bare", beside.directory, fixture.directory + "/pod/bare.git"])
            try await GitRepository.git(
                in: fixture.directory, ["clone", "-q", fixture.source.directory, fixture.directory + "/pod/cache"])
            let summary = try await fixture.collect()
            #expect(summary.incomplete == [])
            let names = summary.references.filter { $0.value == commit }.keys.map(\.self)
            #expect(names.contains { $0.contains("beside/heads/main") }, "\(names)")
            #expect(names.contains { $0.contains("bare_git/heads/main") }, "\(names)")
            #expect(!summary.references.keys.contains { $0.contains("cache") })
        }
    }

    @Test func `of many commits that only the reflog has the tips come out, however long their history`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let script = """
                tree=$(git rev-parse HEAD^{tree}); tip=HEAD
                for n in $(seq 600); do tip=$(git -c user.name=x -c user.email=x@y commit-tree -p $tip -m $n $tree); done
                git reset -q --hard $tip; git reset -q --hard HEAD@{1}; echo $tip >"$1"
                """
            try await shell(fixture, script.replacing("\"$1\"", with: fixture.directory + "/tip"))
            let tip = try read(fixture.directory + "/tip").filter { !$0.isNewline }
            let references = try await fixture.collect().references
            let reflog = references.filter { $0.key.contains("/reflog/") }
            #expect(reflog.values.map(\.self) == [tip])
        }
    }

    @Test func `a repository that the agent recreated is left alone when the session goes on`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            try write("", to: fixture.checkout.startedMark)
            try await shell(fixture, "rm -rf .git a.txt; git init -q; echo new >n.txt")
            try await fixture.begin()
            #expect(try files(below: fixture.checkout.directory).contains("n.txt"))
            #expect(!exists(fixture.checkout.directory + "/a.txt"))
            // What is empty is nobody's work.
            removeTree(fixture.checkout.directory)
            try await fixture.begin()
            #expect(exists(fixture.checkout.directory + "/a.txt"))
        }
    }

    @Test func `what is forgotten takes no disk, and nobody else's work goes with it`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let other = try SessionID.random()
            try await shell(fixture, "head -c 1000000 /dev/urandom >random")
            _ = try await fixture.collect()
            removeTree(fixture.checkout.directory + "/random")
            try write("kept\n", to: fixture.checkout.directory + "/kept.txt")
            var checkout = fixture.checkout
            checkout.session = other
            _ = try await fixture.collected.collect(checkout, from: fixture.shell, base: fixture.start.commit)
            try await fixture.collected.forget(fixture.session)
            let size = try await run("du", ["-s", "-k", fixture.stores.collected], environment: [:])
            #expect(size.line.split(separator: "\t").first.flatMap { Int($0) } ?? .max < 900, "\(size)")
            let kept = try await fixture.collected.references(of: other)["\(other.references)wip"]
            let text = try await GitRepository.git(in: fixture.stores.collected, ["show", "\(kept ?? ""):kept.txt"])
            #expect(text == "kept")
        }
    }

    @Test func `a pod that falls silent is not waited for, and keeps no other session from its end`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            var store = fixture.collected
            store.silenceLimit = .seconds(2)
            let error = await #expect(throws: WorkspaceError.self) {
                try await store.collect(fixture.checkout, from: SilentShell(), base: fixture.start.commit)
            }
            #expect(error?.message.contains("never came") == true, "\(error?.description ?? "")")
            store.silenceLimit = .seconds(900)
            let waiting = Task { [store] in
                try await store.collect(fixture.checkout, from: SilentShell(), base: fixture.start.commit)
            }
            var other = fixture.checkout
            other.session = try SessionID.random()
            let summary = try await store.collect(other, from: fixture.shell, base: fixture.start.commit)
            #expect(summary.incomplete == [])
            waiting.cancel()
            _ = await waiting.result
        }
    }

    @Test(.timeLimit(.minutes(5)))
    func `pipes in place of files are not waited for`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            try await shell(fixture, "mkfifo kept.log; mkfifo pipe")
            let summary = try await fixture.collect(["kept.log"])
            #expect(summary.references.keys.filter { $0.contains("copied") } == [])
        }
    }
}

/// A pod whose programs are all stopped.
private struct SilentShell: PodShell {
    func stream(
        _ command: [String], input: [UInt8],
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(WorkspaceError) -> Int {
        do {
            return try await Command("sleep", ["1000"], host: hostEnvironment).stream { _, _ in }
        } catch {
            throw WorkspaceError(error, "the pod's command was ended")
        }
    }
}
