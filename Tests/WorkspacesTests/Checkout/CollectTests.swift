import ExternalTools
import TestSupport
import Testing

@testable import Workspaces

@Suite struct CollectTests {
    @Test func `a clone shows the project's files on the session's branch, and takes its objects from the base`()
        async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            #expect(try read(clone.directory + "/a.txt") == "one\ntwo\n")
            #expect(try await clone.git("symbolic-ref", "--short", "HEAD") == fixture.session.branch)
            #expect(try await clone.git("status", "--porcelain") == "")
            #expect(try await clone.git("count-objects") == "0 objects, 0 kilobytes")
            #expect(try await clone.git("rev-parse", "origin/main") == fixture.start.commit)
            #expect(try mode(fixture.stores.directory) == 0o700)
        }
    }

    @Test func `making the clone again changes nothing of what the agent did`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            try write("mine\n", to: fixture.checkout.directory + "/a.txt")
            try await fixture.begin()
            #expect(try read(fixture.checkout.directory + "/a.txt") == "mine\n")
        }
    }

    @Test func `commits, what is staged, what is not, and what git does not know come out`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            let commit = try await clone.commit(["done.txt": "done\n"], "done")
            try write("staged\n", to: clone.directory + "/b.txt")
            try await clone.git("add", "b.txt")
            try write("not staged\n", to: clone.directory + "/b.txt")
            try write("new\n", to: clone.directory + "/new file ü.txt")
            removeTree(clone.directory + "/sub")
            let summary = try await fixture.collect()
            #expect(summary.incomplete == [])
            #expect(try await fixture.collectedFile("done.txt", at: "HEAD") == "done")
            #expect(summary.references["\(fixture.session.references)heads/\(fixture.session.branch)"] == commit)
            #expect(try await fixture.collectedFile("b.txt", at: "index") == "staged")
            #expect(try await fixture.collectedFile("b.txt", at: "wip") == "not staged")
            #expect(try await fixture.collectedFile("new file ü.txt", at: "wip") == "new")
            await #expect(throws: (any Error).self) { try await fixture.collectedFile("sub/c.txt", at: "wip") }
            // The agent's own index and files are as they were.
            #expect(try await clone.git("diff", "--cached", "--name-only") == "b.txt")
        }
    }

    @Test func `every stash, a detached HEAD, other branches, tags and what only the reflog has come out`() async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            for text in ["first", "second"] {
                try write(text, to: clone.directory + "/a.txt")
                try await clone.git("stash", "push", "-q", "-m", text)
            }
            try await clone.git("checkout", "-q", "-b", "other")
            let other = try await clone.commit(["o": "o"], "other")
            let tagged = try await clone.commit(["t": "t"], "tagged")
            try await clone.git("tag", "-a", "-m", "tag", "v1", tagged)
            let lost = try await clone.commit(["l": "l"], "lost")
            try await clone.git("reset", "-q", "--hard", other)
            try await clone.git("checkout", "-q", "--detach")
            let detached = try await clone.commit(["d": "d"], "detached")
            let references = try await fixture.collect().references
            func at(_ name: String) -> String? { references[fixture.session.references + name] }
            #expect(at("heads/other") == other)
            #expect(at("HEAD") == detached)
            #expect(at("tags/v1") != nil)
            #expect(at("reflog/\(lost)") == lost)
            #expect(try await fixture.collectedFile("a.txt", at: "stash/0") == "second")
            #expect(try await fixture.collectedFile("a.txt", at: "stash/1") == "first")
        }
    }

    @Test func `repositories inside the checkout come out with their history and their changes`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            let inner = try await GitRepository(clone.directory + "/vendor/inner")
            try await inner.commit(["i.txt": "inner\n"], "inner")
            try write("changed\n", to: inner.directory + "/i.txt")
            let unborn = try await GitRepository(clone.directory + "/unborn")
            try write("never committed\n", to: unborn.directory + "/u.txt")
            try await clone.git("worktree", "add", "-q", "-b", "side", fixture.directory + "/pod/side")
            try write("side\n", to: fixture.directory + "/pod/side/s.txt")
            let summary = try await fixture.collect()
            #expect(summary.incomplete == [])
            let names = summary.references.keys.filter { $0.contains("/repos/") }
            func name(_ part: String, _ end: String) -> String {
                String(
                    (names.first { $0.contains(part) && $0.hasSuffix(end) } ?? "").dropFirst(
                        fixture.session.references.count))
            }
            #expect(try await fixture.collectedFile("i.txt", at: name("vendor_inner", "/HEAD")) == "inner")
            #expect(try await fixture.collectedFile("i.txt", at: name("vendor_inner", "/wip")) == "changed")
            #expect(try await fixture.collectedFile("u.txt", at: name("unborn", "/wip")) == "never committed")
            #expect(try await fixture.collectedFile("s.txt", at: name("side", "/wip")) == "side")
        }
    }

    @Test func `ignored files come along when they are named, and files hidden from git by flags always`() async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            try write("log\n", to: clone.directory + "/kept.log")
            try write("log\n", to: clone.directory + "/other.log")
            try await clone.git("update-index", "--assume-unchanged", "a.txt")
            try await clone.git("update-index", "--skip-worktree", "b.txt")
            try write("hidden\n", to: clone.directory + "/a.txt")
            try write("skipped\n", to: clone.directory + "/b.txt")
            _ = try await fixture.collect(["kept.log", "absent.log"])
            // Apart from the work: what git ignores is not to be merged.
            #expect(try await fixture.collectedFile("kept.log", at: "copied") == "log")
            await #expect(throws: (any Error).self) { try await fixture.collectedFile("kept.log", at: "wip") }
            #expect(try await fixture.collectedFile("a.txt", at: "wip") == "hidden")
            #expect(try await fixture.collectedFile("b.txt", at: "wip") == "skipped")
            await #expect(throws: (any Error).self) { try await fixture.collectedFile("other.log", at: "wip") }
        }
    }

    @Test func `what git passes over in silence is named, and its volume stays`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            let commit = try await clone.git("rev-parse", "HEAD")
            try await clone.git("update-index", "--add", "--cacheinfo", "160000,\(commit),mod")
            try await clone.git("commit", "-q", "-m", "a submodule")
            let empty = try await fixture.collect()
            #expect(empty.incomplete == [])
            try write("precious\n", to: clone.directory + "/mod/precious.txt")
            let summary = try await fixture.collect()
            #expect(
                summary.incomplete.count == 1
                    && summary.incomplete[0].contains("/mod: files in the folder of a submodule"), "\(summary)")
        }
    }

    @Test func `a merge with conflicts under way comes out as its files are`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            try await clone.git("checkout", "-q", "-b", "theirs")
            let theirs = try await clone.commit(["a.txt": "theirs\n"], "theirs")
            try await clone.git("checkout", "-q", fixture.session.branch)
            try await clone.commit(["a.txt": "ours\n"], "ours")
            await #expect(throws: (any Error).self) { try await clone.git("merge", "-q", theirs) }
            let summary = try await fixture.collect()
            #expect(summary.incomplete == [])
            #expect(try await fixture.collectedFile("a.txt", at: "wip").contains("<<<<<<<"))
        }
    }

    @Test func `a session that changed nothing comes out as nothing, twice the same`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let first = try await fixture.collect()
            #expect(try await fixture.collect().references == first.references)
            #expect(Set(first.references.values) == [fixture.start.commit])
            #expect(try await fixture.deliver().keep() == .nothing)
        }
    }

    @Test func `the base keeps a session's commit when the user's repository loses it`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            try await fixture.source.git("reset", "-q", "--hard", "HEAD~1")
            try await fixture.source.git("reflog", "expire", "--expire=now", "--all")
            try await fixture.source.git("gc", "-q", "--prune=now")
            try await fixture.clone.commit(["x": "x"], "after")
            #expect(try await fixture.clone.git("fsck", "--connectivity-only") == "")
            #expect(try await fixture.collect().incomplete == [])
        }
    }

    @Test func `files beside the checkout come out, and what is hidden in the home does not`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let (pod, home) = (fixture.directory + "/pod", fixture.directory + "/home")
            try write("notes\n", to: pod + "/notes.txt")
            try write("deep\n", to: pod + "/results/a b/c.txt")
            try write("package\n", to: pod + "/tool/node_modules/x/y.js")
            try write("home\n", to: home + "/report.md")
            try write("cache\n", to: home + "/.cache/x")
            try await GitRepository(home + "/other").commit(["own.txt": "own\n"], "own")
            let summary = try await fixture.collect()
            #expect(summary.incomplete == [], "\(summary)")
            let prefix = fixture.session.references
            func files(_ name: String) async throws -> [String] {
                try await GitRepository.git(
                    in: fixture.stores.collected, ["ls-tree", "-r", "--name-only", "\(prefix)loose/\(name)"]
                ).split(separator: "\n").map(String.init)
            }
            #expect(try await files("work") == ["notes.txt", "results/a b/c.txt"])
            #expect(try await files("home") == ["report.md"])
            #expect(try await fixture.collectedFile("notes.txt", at: "loose/work") == "notes")
            #expect(
                summary.notes.contains { $0.contains("2 files of \(pod)") && $0.contains("loose/work") }, "\(summary)")
            _ = try await fixture.deliver().keep()
            #expect(try await fixture.source.git("show", "\(prefix)loose/home:report.md") == "home")
        }
    }

    @Test func `the commits of a shallow project, of one with alternates, and of a linked work tree are all there`()
        async throws
    {
        try await withCheckout { fixture in
            let places = fixture.directory + "/others"
            try await GitRepository.git(
                in: "/", ["clone", "-q", "--depth", "1", "file://\(fixture.source.directory)", places + "/shallow"])
            try await GitRepository.git(
                in: "/", ["clone", "-q", "--shared", fixture.source.directory, places + "/alternates"])
            try await fixture.source.git("worktree", "add", "-q", "-b", "linked", places + "/linked")
            for name in ["shallow", "alternates", "linked"] {
                let project = try await ProjectRepository.open("\(places)/\(name)", host: hostEnvironment)
                let stores = ProjectStores(
                    state: fixture.directory + "/state", projectName: name, host: hostEnvironment)
                let start = try await project.start()
                try await BaseStore(stores).prepare(fixture.session, from: project, at: start)
                var checkout = Checkout(
                    session: fixture.session, directory: "\(fixture.directory)/pod/\(name)", baseStore: stores.base)
                checkout.places = []
                try await checkout.make(
                    in: fixture.shell, at: start, identity: nil,
                    references: BaseStore(stores).checkoutReferences())
                try write("more\n", to: checkout.directory + "/more.txt")
                let summary = try await CollectedStore(stores).collect(
                    checkout, from: fixture.shell, base: start.commit)
                #expect(summary.references["\(fixture.session.references)wip"] != nil, "\(name)")
                #expect(summary.incomplete == [], "\(name)")
            }
        }
    }

    @Test func `trees that stand for more files than anybody could write are refused, in whatever commit`() async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            let before = try await clone.head()
            var tree = try await clone.git("rev-parse", "HEAD^{tree}")
            for _ in 1...8 {
                let lines = (0...9).map { "040000 tree \(tree)\td\($0)" }.joined(separator: "\n") + "\n"
                let made = Command(
                    "git", ["-C", clone.directory, "mktree"], host: hostEnvironment, input: Array(lines.utf8))
                tree = try await made.run().text
            }
            let bomb = try await clone.git("commit-tree", "-p", before, "-m", "bomb", tree)
            let after = try await clone.git("commit-tree", "-p", bomb, "-m", "harmless", "\(before)^{tree}")
            try await clone.git("reset", "-q", "--hard", after)
            let error = await #expect(throws: WorkspaceError.self) { try await fixture.collect() }
            #expect(error?.code == .refused)
            #expect(error?.message.contains("more than two million files") == true)
        }
    }

    @Test func `a directory without a repository, and one without a commit, is refused with what to do`() async throws {
        try await withTemporaryDirectory { directory in
            let none = await #expect(throws: WorkspaceError.self) {
                try await ProjectRepository.open(directory, host: hostEnvironment)
            }
            #expect(none?.code == .missing && none?.hint?.contains("git init") == true)
            _ = try await GitRepository(directory)
            let unborn = await #expect(throws: WorkspaceError.self) {
                try await ProjectRepository.open(directory, host: hostEnvironment).start()
            }
            #expect(unborn?.code == .invalid && unborn?.hint?.contains("git commit") == true)
        }
    }
}
