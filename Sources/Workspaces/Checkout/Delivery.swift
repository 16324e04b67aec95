import ExternalTools
import Runtimes

/// Brings what a session left in the store of collected work into the user's repository.
package struct Delivery: Sendable {
    package let project: ProjectRepository
    package let store: CollectedStore
    package let session: SessionID

    package init(_ session: SessionID, from store: CollectedStore, to project: ProjectRepository) {
        self.session = session
        self.store = store
        self.project = project
    }

    /// What came of it.
    package enum Outcome: Hashable, Sendable {
        /// The session changed nothing.
        case nothing
        /// The work is on this branch, or at this reference where the branch has gone another way.
        case kept(String)
        /// The branch now holds the work; whether its checkout was brought along.
        case merged(branch: String, commit: String, checkedOut: Bool)
        /// The work is kept at the reference, for these files conflict.
        case conflicts(kept: String, files: [String])
        /// The work is kept at the reference, and this is why it was not merged.
        case notMerged(kept: String, reason: String)
    }

    /// Puts the session's references into the user's repository, and its branch where that loses nothing.
    package func keep() async throws -> Outcome {
        let all = try await store.references(of: session)
        guard let tip = tip(all) else { return .nothing }
        try await bring(all)
        let branch = "refs/heads/\(session.branch)"
        let old = try await project.git.commit(branch)
        if let old, old != tip, try await !isAncestor(old, tip) { return .kept("\(session.references)\(tipName(all))") }
        // A branch that a work tree has checked out may not move under it.
        if old != tip, try await isCheckedOut(session.branch) { return .kept("\(session.references)\(tipName(all))") }
        try await update(branch, to: tip, from: old)
        return .kept(session.branch)
    }

    /// Merges the session's work, that which it did not commit included, into a branch.
    ///
    /// The merge is computed in the store, with none of the repository's drivers, and reaches the branch as a fast-forward. A work tree with local
    /// changes is left as it is.
    ///
    /// - Parameter withheld: files whose change keeps the work from being merged.
    func merge(into branch: String, withholding withheld: DefiningFiles? = nil) async throws -> Outcome {
        let kept = try await keep()
        guard case .kept(let place) = kept else { return kept }
        let all = try await store.references(of: session)
        guard let tip = tip(all), let target = try await project.branch(branch) else {
            return .notMerged(kept: place, reason: "the branch \(branch) is gone")
        }
        if try await isAncestor(tip, target) { return .merged(branch: branch, commit: target, checkedOut: false) }
        let isCurrent = try await project.start().branch == branch
        if isCurrent, try await project.hasLocalChanges() {
            return .notMerged(kept: place, reason: "\(project.root) has changes that are not committed")
        }
        if !isCurrent, try await isCheckedOut(branch) {
            return .notMerged(kept: place, reason: "\(branch) is checked out in another work tree")
        }
        switch try await compute(tip, onto: target, branch: branch) {
        case .conflicts(let files): return .conflicts(kept: place, files: files)
        case .unrelated:
            return .notMerged(kept: place, reason: "its history has nothing in common with that of \(branch)")
        case .commit(let commit):
            if let withheld, let name = try await withheld.among(changes(target, commit)).first {
                return .notMerged(
                    kept: place,
                    reason:
                        "it changes \(name), which decides what the project's next session may do; look at it, then so session finish \(session) --on-exit merge"
                )
            }
            return try await advance(branch, from: target, to: commit, isCurrent, place)
        }
    }

    /// The work at its own place, where it was to be merged.
    func keep(insteadOfMerging reason: String) async throws -> Outcome {
        let kept = try await keep()
        guard case .kept(let place) = kept else { return kept }
        return .notMerged(kept: place, reason: reason)
    }

    private func changes(_ old: String, _ new: String) async throws -> [String] {
        let listed = try await project.git.run(
            ["diff-tree", "-r", "-z", "--name-only", "--no-renames", old, new, "--"], to: "look at what changes")
        return listed.split(separator: "\0").map(String.init)
    }

    private func advance(
        _ branch: String, from target: String, to commit: String, _ isCurrent: Bool, _ place: String
    ) async throws -> Outcome {
        guard isCurrent else {
            try await update("refs/heads/\(branch)", to: commit, from: target)
            return .merged(branch: branch, commit: commit, checkedOut: false)
        }
        let forward = [
            "merge", "--quiet", "--ff-only", "--no-autostash", "--no-verify-signatures", "--no-stat", commit,
        ]
        do {
            try await project.git.command(forward, cancellation: .finish).run()
        } catch {
            return .notMerged(kept: place, reason: error.standardError)
        }
        return .merged(branch: branch, commit: commit, checkedOut: true)
    }

    /// What a person means by the session's work: with what was not committed, if anything was not.
    private func tip(_ all: [String: String]) -> String? {
        guard isChanged(all) else { return nil }
        return all["\(session.references)\(tipName(all))"]
    }

    private func tipName(_ all: [String: String]) -> String {
        all["\(session.references)wip"] == nil ? "HEAD" : "wip"
    }

    /// Whether anything but the base came out; the base is recorded with what was collected.
    private func isChanged(_ all: [String: String]) -> Bool {
        guard let base = all["\(session.references)base"] else { return true }
        return all.values.contains { $0 != base }
    }

    private enum Computed {
        case commit(String)
        case conflicts([String])
        case unrelated
    }

    private func compute(_ tip: String, onto target: String, branch: String) async throws -> Computed {
        if try await isAncestor(target, tip) { return .commit(tip) }
        let lock = try await store.stores.lock(store.stores.collected)
        try await transfer([target], from: project.git, to: store.git, without: ["--all"])
        guard try await store.git.answer(["merge-base", target, tip]) != nil else { return .unrelated }
        let merge = ["merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", target, tip]
        let output = try await store.git.command(merge).result()
        let parts = output.standardOutput.split(separator: 0, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard let tree = parts.first, output.status <= 1 else {
            throw WorkspaceError(.failed, "the merge into \(branch) could not be computed", cause: output.standardError)
        }
        if output.status == 1 { return .conflicts(Set(parts.dropFirst().filter { !$0.isEmpty }).sorted()) }
        let commit = try await commit(tree, target, tip, branch: branch)
        try await transfer([commit], from: store.git, to: project.git, without: [target, tip])
        _ = consume lock
        return .commit(commit)
    }

    private func commit(_ tree: String, _ target: String, _ tip: String, branch: String) async throws -> String {
        var git = store.git
        let identity = try await project.identity() ?? GitIdentity(name: "so", email: "so@localhost")
        for role in ["AUTHOR", "COMMITTER"] {
            git.environment["GIT_\(role)_NAME"] = identity.name
            git.environment["GIT_\(role)_EMAIL"] = identity.email
        }
        let message = "Merge session \(session) into \(branch)"
        return try await git.run(
            ["commit-tree", "-p", target, "-p", tip, "-m", message, tree], to: "commit the merge")
    }

    /// The session's objects and references, as they are in the store.
    private func bring(_ all: [String: String]) async throws {
        try await transfer(Array(Set(all.values)), from: store.git, to: project.git, without: ["--all"])
        // What an earlier delivery brought, and what is somewhere else in the store since, would stand in the way.
        let names = try await project.git.run(
            ["for-each-ref", "--format=%(objectname) %(refname)", session.references], to: "list references")
        let stale = names.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1).map(String.init) }
            .filter { $0.count == 2 && all[$0[1]] == nil && all.values.contains($0[0]) }
        try await update(stale.map { "delete \($0[1]) \($0[0])\n" })
        try await update(all.sorted { $0.key < $1.key }.map { "update \($0.key) \($0.value)\n" })
    }

    private func update(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        try await project.git.run(
            ["update-ref", "--stdin"], input: Array(lines.joined().utf8),
            to: "bring the session's references into \(project.root)", cancellation: .finish)
    }

    /// Copies what the tips reach and the other side lacks. The pack goes through a file: it may be large, and the receiver may be another user.
    private func transfer(
        _ tips: [String], from source: HostGit, to target: HostGit, without others: [String]
    ) async throws {
        var have = try await target.run(["for-each-ref", "--format=%(objectname)"], to: "list references")
            .split(separator: "\n").map(String.init)
        have += others.filter { !$0.hasPrefix("--") }
        let objects = try await known(have, in: source)
        let revisions = (tips + ["--not"] + objects).joined(separator: "\n") + "\n"
        let pack = "\(store.stores.directory)/delivery-\(session).pack"
        defer { try? Files.remove(pack) }
        let packing = source.command(
            ["pack-objects", "--revs", "--thin", "--stdout", "-q", "--delta-base-offset"], input: Array(revisions.utf8))
        let taking = target.command(["index-pack", "--stdin", "--fix-thin", "--strict"], cancellation: .finish)
        try await HostGit.through(pack, .output, packing, to: "gather the session's objects")
        try await HostGit.through(
            pack, .input, taking, to: "bring the session's objects into \(target.directory)")
    }

    /// Which of these objects a repository has: it cannot leave out what it does not know.
    private func known(_ objects: [String], in git: HostGit) async throws -> [String] {
        let asked = Set(objects).sorted().map { "\($0)\n" }.joined()
        let answers = try await git.run(
            ["cat-file", "--batch-check=%(objectname)"], input: Array(asked.utf8), to: "look for objects")
        return answers.split(separator: "\n").filter { !$0.hasSuffix(" missing") }.map(String.init)
    }

    private func isAncestor(_ one: String, _ other: String) async throws -> Bool {
        let asked = ["merge-base", "--is-ancestor", one, other]
        if try await project.git.command(asked).result().status == 0 { return true }
        guard Files.exists(store.stores.collected) else { return false }
        return try await store.git.command(asked).result().status == 0
    }

    private func isCheckedOut(_ branch: String) async throws -> Bool {
        let listed = try await project.git.run(["worktree", "list", "--porcelain"], to: "list the work trees")
        return listed.split(separator: "\n").contains("branch refs/heads/\(branch)")
    }

    private func update(_ reference: String, to commit: String, from old: String?) async throws {
        let zeros = String(repeating: "0", count: commit.count)
        try await project.git.run(
            ["update-ref", "-m", "so: session \(session)", reference, commit, old ?? zeros],
            to: "move \(reference)", cancellation: .finish)
    }
}
