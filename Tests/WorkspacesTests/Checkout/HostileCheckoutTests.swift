import ExternalTools
import TestSupport
import Testing

@testable import Workspaces

/// What a checkout or an agent may try on the host. Each test fails where its guard is taken away.
@Suite struct HostileCheckoutTests {
    /// A program that leaves a file behind when it is run.
    private func trap(_ fixture: CheckoutFixture, _ name: String) throws -> (program: String, mark: String) {
        let (program, mark) = ("\(fixture.directory)/traps/\(name)", "\(fixture.directory)/traps/\(name).ran")
        try write("#!/bin/sh\n: >'\(mark)'\ncat\n", to: program, mode: 0o755)
        return (program, mark)
    }

    @Test func `hooks of the project are not run`() async throws {
        try await withCheckout { fixture in
            var marks: [String] = []
            for hook in [
                "post-checkout", "post-merge", "reference-transaction", "pre-auto-gc", "post-index-change",
                "post-update",
            ] {
                let trap = try trap(fixture, hook)
                try write(
                    "#!/bin/sh\nexec '\(trap.program)' </dev/null\n",
                    to: "\(fixture.source.directory)/.git/hooks/\(hook)", mode: 0o755)
                marks.append(trap.mark)
            }
            try await fixture.base.prepare(fixture.session, from: fixture.project(), at: fixture.start)
            try await fixture.checkout.make(
                in: fixture.shell, at: fixture.start, identity: nil, references: fixture.base.checkoutReferences())
            try write("loose\n", to: fixture.checkout.directory + "/loose.txt")
            _ = try await fixture.collect()
            guard case .merged = try await fixture.deliver().merge(into: "main") else {
                Issue.record("not merged")
                return
            }
            #expect(marks.filter(exists) == [])
            // The traps do work: git on its own runs them.
            try await fixture.source.git("checkout", "-q", "-b", "own")
            #expect(marks.contains(where: exists))
        }
    }

    @Test(arguments: [
        "core.fsmonitor", "core.alternateRefsCommand", "core.sshCommand", "core.pager", "filter.evil.clean",
        "filter.evil.smudge", "filter.evil.process", "merge.evil.driver", "diff.evil.textconv", "diff.external",
        "uploadpack.packObjectsHook", "gpg.program", "core.editor", "credential.helper",
    ])
    func `programs that the project's configuration names are not run`(key: String) async throws {
        try await withCheckout { fixture in
            let trap = try trap(fixture, "trap")
            try await fixture.source.git("config", key, trap.program)
            try await fixture.source.git("config", "filter.evil.required", "true")
            try await fixture.source.git("config", "commit.gpgSign", "true")
            try await fixture.base.prepare(fixture.session, from: fixture.project(), at: fixture.start)
            try await fixture.checkout.make(
                in: fixture.shell, at: fixture.start, identity: nil, references: fixture.base.checkoutReferences())
            try write("* filter=evil merge=evil diff=evil\n", to: fixture.checkout.directory + "/.gitattributes")
            try write("loose\n", to: fixture.checkout.directory + "/a.txt")
            _ = try await fixture.collect()
            guard case .merged = try await fixture.deliver().merge(into: "main") else {
                Issue.record("not merged")
                return
            }
            #expect(!exists(trap.mark))
            #expect(try read(fixture.source.directory + "/a.txt") == "loose\n")
        }
    }

    @Test func `programs of a work tree's own configuration are not run`() async throws {
        try await withCheckout { fixture in
            let trap = try trap(fixture, "trap")
            let source = fixture.source
            try await source.git("config", "extensions.worktreeConfig", "true")
            try await source.git("config", "--worktree", "filter.evil.clean", trap.program)
            try await source.git("config", "--worktree", "filter.evil.smudge", trap.program)
            try write("* filter=evil\n", to: source.directory + "/.git/info/attributes")
            try write("one\nTWO\n", to: source.directory + "/a.txt")
            #expect(try await fixture.project().hasLocalChanges())
            #expect(!exists(trap.mark))
            try await source.git("status")
            #expect(exists(trap.mark), "the trap works")
        }
    }

    @Test func `programs that a submodule's configuration names are not run`() async throws {
        try await withCheckout { fixture in
            let trap = try trap(fixture, "trap")
            let source = fixture.source
            let inner = try await GitRepository(fixture.directory + "/inner")
            try await inner.commit(["i.txt": "one\n"], "inner")
            try await source.git("submodule", "--quiet", "add", inner.directory, "mod")
            try await source.git("commit", "-q", "-m", "submodule")
            try await source.git("config", "submodule.mod.ignore", "none")
            let module = GitRepository(at: source.directory + "/mod")
            try await module.git("config", "filter.evil.clean", trap.program)
            try write("* filter=evil\n", to: source.directory + "/.git/modules/mod/info/attributes")
            try write("TWO\n", to: source.directory + "/mod/i.txt")
            _ = try await fixture.project().hasLocalChanges()
            #expect(!exists(trap.mark))
            try await source.git("status")
            #expect(exists(trap.mark), "the trap works")
        }
    }

    @Test func `a project that lacks its own commits is not completed by programs of its choice`() async throws {
        try await withCheckout { fixture in
            let trap = try trap(fixture, "trap")
            let source = fixture.source
            let tip = try await source.commit(["new.txt": "new\n"], "new")
            try await source.git("config", "core.repositoryFormatVersion", "1")
            try await source.git("config", "extensions.partialClone", "evil")
            try await source.git("config", "remote.evil.promisor", "true")
            try await source.git("config", "remote.evil.url", fixture.directory + "/nowhere")
            try await source.git("config", "remote.evil.uploadpack", trap.program)
            removeTree(source.directory + "/.git/objects/\(tip.prefix(2))")
            try write("#!/bin/sh\n: >'\(trap.mark)'\n", to: trap.program, mode: 0o755)
            _ = try? await fixture.project().start()
            #expect(!exists(trap.mark))
            _ = try? await source.git("cat-file", "-p", tip)
            #expect(exists(trap.mark), "the trap works")
        }
    }

    @Test func `a bundle without an end is cut at the limit, and nothing of it stays`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            var store = fixture.collected
            store.sizeLimit = 1 << 20
            let zeros = LyingShell(chunks: [[UInt8](repeating: 0, count: 64 << 10)], isEndless: true)
            let error = await #expect(throws: WorkspaceError.self) {
                try await store.collect(fixture.checkout, from: zeros, base: fixture.start.commit)
            }
            #expect(error?.message.contains("larger than 1 MiB") == true)
            #expect(try files(below: fixture.stores.collected).filter { $0.contains("incoming") } == [])
        }
    }

    @Test(arguments: [
        "--upload-pack=x", "../../../escape", "refs/heads/main", "refs/so/s-aaaaaaaa/HEAD",
        "refs/so/SESSION/../../heads/main",
        "refs/so/SESSION/--output=x", "refs/so/SESSION/a.lock", "refs/so/SESSION/.hidden", "refs/so/SESSION/a\u{1B}[2J",
        "HEAD", "refs/so/SESSION/a b", "refs/so/SESSION/" + String(repeating: "x", count: 300),
    ])
    func `a reference with a name of the agent's choice lands under the session's and nowhere else`(name: String)
        async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            let full = name.replacing("SESSION", with: "\(fixture.session)")
            let before = try await fixture.source.git("for-each-ref")
            let header = "# v2 git bundle\n-\(fixture.start.commit) base\n\(fixture.start.commit) \(full)\n\n"
            let lying = LyingShell(chunks: [Array(header.utf8), try emptyPack])
            let summary = try await fixture.collected.collect(
                fixture.checkout, from: lying, base: fixture.start.commit)
            #expect(summary.references.keys.sorted() == ["base", "renamed/1"].map { fixture.session.references + $0 })
            #expect(summary.notes.count == 1)
            _ = try await fixture.deliver().keep()
            #expect(try await fixture.source.git("for-each-ref") == before)
            let listed = try await GitRepository.git(
                in: fixture.stores.collected, ["for-each-ref", "--format=%(refname)"])
            #expect(listed.split(separator: "\n").allSatisfy { $0.hasPrefix(fixture.session.references) })
        }
    }

    /// A pack without objects.
    private var emptyPack: [UInt8] {
        get throws {
            Array("PACK".utf8) + [0, 0, 0, 2, 0, 0, 0, 0] + [
                0x02, 0x9d, 0x08, 0x82, 0x3b, 0xd8, 0xa8, 0xea, 0xb5, 0x10, 0xad, 0x6a, 0xc7, 0x5c, 0x82, 0x3c, 0xfd,
                0x3e,
                0xd3, 0x1e,
            ]
        }
    }

    @Test func `names that stand in each other's way are all kept`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let (one, prefix) = (fixture.start.commit, fixture.session.references)
            let header = "# v2 git bundle\n\(one) \(prefix)heads/a\n\(one) \(prefix)heads/a/b\n\n"
            let lying = LyingShell(chunks: [Array(header.utf8), try emptyPack])
            _ = try await fixture.collected.collect(fixture.checkout, from: lying, base: one)
            let kept = try await fixture.collected.references(of: fixture.session)
            #expect(kept.keys.sorted() == ["base", "heads/a", "renamed/1"].map { prefix + $0 })
        }
    }

    @Test(arguments: [
        "garbage", "# v2 git bundle\nzz refs/x\n\n", "# v2 git bundle\n", "# v3 git bundle\n@filter=blob:none\n\n",
    ])
    func `what is not a bundle is refused, and the work said to be where it is`(text: String) async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let error = await #expect(throws: WorkspaceError.self) {
                try await fixture.collected.collect(
                    fixture.checkout, from: LyingShell(chunks: [Array(text.utf8)]), base: fixture.start.commit)
            }
            #expect(error?.hint?.contains("volume") == true)
        }
    }

    @Test func `objects that git's own checks refuse are not taken, nor references to objects that are not there`()
        async throws
    {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            let script = """
                blob=$(git hash-object -w a.txt | sed 's/../\\\\x&/g')
                tree=$(printf "100644 .git\\0$blob" | git hash-object -t tree -w --stdin --literally)
                git update-ref refs/heads/evil "$(git commit-tree "$tree" -m evil)"
                """
            var environment = GitRepository.environment
            for role in ["AUTHOR", "COMMITTER"] {
                environment["GIT_\(role)_NAME"] = "x"
                environment["GIT_\(role)_EMAIL"] = "x@y"
            }
            let made = try await run("bash", ["-ec", script], environment: environment, directory: clone.directory)
            try #require(made.succeeded, "\(made)")
            let refused = await #expect(throws: WorkspaceError.self) { try await fixture.collect() }
            #expect(refused?.cause?.contains("hasDotgit") == true, "\(refused.map(String.init(describing:)) ?? "")")
            let nowhere = String(repeating: "1", count: 40)
            let header = "# v2 git bundle\n\(nowhere) \(fixture.session.references)HEAD\n\n"
            await #expect(throws: WorkspaceError.self) {
                try await fixture.collected.collect(
                    fixture.checkout, from: LyingShell(chunks: [Array(header.utf8), try emptyPack]),
                    base: fixture.start.commit)
            }
            #expect(try await fixture.collected.references(of: fixture.session) == [:])
        }
    }

    @Test func `symbolic links out of the tree come out as links, and nothing is written through them`() async throws {
        try await withCheckout { fixture in
            try await fixture.begin()
            let clone = try await fixture.clone
            let outside = fixture.directory + "/outside"
            try write("theirs\n", to: outside + "/file")
            let made = try await run(
                "sh", ["-c", "rm -rf sub; ln -s '\(outside)' sub; ln -s '\(outside)/file' link"],
                environment: GitRepository.environment, directory: clone.directory)
            try #require(made.succeeded)
            try await clone.git("add", "-A")
            try await clone.git("commit", "-q", "-m", "links")
            _ = try await fixture.collect()
            guard case .merged = try await fixture.deliver().merge(into: "main") else {
                Issue.record("not merged")
                return
            }
            #expect(try files(below: outside) == ["file"])
            #expect(try read(outside + "/file") == "theirs\n")
        }
    }

    @Test func `submodules that name programs or addresses are not followed on the host`() async throws {
        try await withCheckout { fixture in
            let trap = try trap(fixture, "ext")
            try await fixture.source.git("config", "protocol.ext.allow", "always")
            try await fixture.source.git("config", "submodule.recurse", "true")
            try await fixture.source.git("config", "fetch.recurseSubmodules", "true")
            try await fixture.begin()
            let clone = try await fixture.clone
            try write(
                "[submodule \"evil\"]\n\tpath = evil\n\turl = ext::\(trap.program)\n\tupdate = !\(trap.program)\n",
                to: clone.directory + "/.gitmodules")
            try await clone.git("update-index", "--add", "--cacheinfo", "160000,\(fixture.start.commit),evil")
            try await clone.git("add", ".gitmodules")
            try await clone.git("commit", "-q", "-m", "submodule")
            _ = try? await fixture.collect()
            _ = try? await fixture.deliver().merge(into: "main")
            #expect(!exists(trap.mark))
        }
    }
}
