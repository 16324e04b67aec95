import Compose
import ExternalTools
import Specs
import YAML

/// What a reference stands for in a clone.
struct ReferenceTarget: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        case branch(String)
        case tag
        case commit
    }

    var kind: Kind
    var commit: String
}

extension SingleFetch {
    /// Works on a clone that is there: to the wanted reference, and forward where that is asked.
    func bringForward() async throws(StackError) -> RepositoryRecord {
        try await requireClone()
        var record = RepositoryRecord(locator: locator, directory: directory, state: .unchanged)
        let (before, branch) = try await position()
        if options.pulls { try await fetch() }
        if let reference = locator.reference {
            try await goTo(reference, from: before, branch: branch, &record)
        } else if options.pulls {
            if let branch {
                try await fastForward(branch, &record)
            } else {
                record.notes.append("is at no branch: nothing to pull")
            }
        }
        let (after, _) = try await position()
        if after != before {
            record.state = .updated
            try await updateSubmodules()
        } else if !options.pulls, locator.reference == nil {
            record.state = .present
        }
        try await describe(&record)
        return record
    }

    private func position() async throws(StackError) -> (commit: String?, branch: String?) {
        try await asking { () async throws(CommandFailure) in
            (try await git.head(directory), try await git.branch(directory))
        }
    }

    func fetch(_ references: [String] = []) async throws(StackError) {
        event(.fetching)
        do {
            try await git.fetch(directory, references) { event(.transferring($0)) }
        } catch {
            throw transferFailure(error)
        }
    }

    private func goTo(
        _ reference: String, from before: String?, branch: String?, _ record: inout RepositoryRecord
    ) async throws(StackError) {
        let target = try await found(reference)
        if case .branch(let name) = target.kind {
            if branch != name {
                try await requireNothingToLose(reference, isDetached: branch == nil)
                try await switchTo(branch: name)
            }
            if options.pulls { try await fastForward(name, &record) }
        } else if target.commit != before {
            try await requireNothingToLose(reference, isDetached: branch == nil)
            try await changing(
                "\(reference) cannot be checked out", GitArguments.checkout(directory, detachedAt: target.commit))
        }
    }

    /// Checks a reference out in a fresh clone.
    func checkOut(_ reference: String) async throws(StackError) {
        let target = try await found(reference)
        guard case .branch(let name) = target.kind else {
            return try await changing(
                "\(reference) cannot be checked out", GitArguments.checkout(directory, detachedAt: target.commit))
        }
        try await switchTo(branch: name)
    }

    private func switchTo(branch name: String) async throws(StackError) {
        let isLocal =
            try await asking { () async throws(CommandFailure) in
                try await git.commit(directory, "refs/heads/\(name)")
            } != nil
        try await changing(
            "the branch \(name) cannot be checked out",
            isLocal ? GitArguments.checkout(directory, branch: name) : GitArguments.checkout(directory, newBranch: name)
        )
    }

    /// What the reference stands for; origin is asked for what the clone does not know.
    private func found(_ reference: String) async throws(StackError) -> ReferenceTarget {
        func known() async throws(StackError) -> ReferenceTarget? {
            try await asking { () async throws(CommandFailure) in try await target(of: reference) }
        }
        if let target = try await known() { return target }
        if !options.pulls { try await fetch() }
        if let target = try await known() { return target }
        // Tags off the branches, other kinds of references, and commits that no reference shows, are fetched one by one.
        for wanted in Self.fetchable(reference) {
            do {
                try await git.fetch(directory, [wanted])
            } catch {
                guard case .exited = error.code else { throw transferFailure(error) }
                continue
            }
            if let target = try await known() { return target }
        }
        throw try await unknown(reference)
    }

    private static func fetchable(_ reference: String) -> [String] {
        if reference.hasPrefix("refs/") {
            return ["+\(reference):\(reference.replacing("refs/", with: "refs/so/", maxReplacements: 1))"]
        }
        return ["refs/tags/\(reference):refs/tags/\(reference)"] + (isObjectName(reference) ? [reference] : [])
    }

    private static func isObjectName(_ text: String) -> Bool {
        (7...64).contains(text.utf8.count) && text.unicodeScalars.allSatisfy { $0.properties.isASCIIHexDigit }
    }

    /// A branch of origin, a tag, or a commit, in this order.
    func target(of reference: String) async throws(CommandFailure) -> ReferenceTarget? {
        var name = reference
        for prefix in ["refs/heads/", "heads/"] where name.hasPrefix(prefix) {
            name = String(name.dropFirst(prefix.count))
        }
        if let commit = try await git.commit(directory, "refs/remotes/origin/\(name)") {
            return ReferenceTarget(kind: .branch(name), commit: commit)
        }
        let tag = reference.hasPrefix("refs/tags/") ? reference : "refs/tags/\(reference)"
        if let commit = try await git.commit(directory, tag) { return ReferenceTarget(kind: .tag, commit: commit) }
        if reference.hasPrefix("refs/"),
            let commit = try await git.commit(
                directory, reference.replacing("refs/", with: "refs/so/", maxReplacements: 1))
        {
            return ReferenceTarget(kind: .commit, commit: commit)
        }
        guard Self.isObjectName(reference), let commit = try await git.commit(directory, reference) else { return nil }
        return ReferenceTarget(kind: .commit, commit: commit)
    }

    private func unknown(_ reference: String) async throws(StackError) -> StackError {
        let names = try await asking { () async throws(CommandFailure) in try await git.referenceNames(directory) }
        let hint =
            nearest(reference, in: names).map { "did you mean '\($0)'?" }
            ?? (names.isEmpty ? "it has no branches" : "there are \(names.prefix(12).joined(separator: ", "))")
        return StackError(
            .notFound, "\(locator.repository) has no branch, tag or commit '\(reference)'", hint: "\(hint)")
    }

    /// Leaving a state is safe only where a branch, a tag or a commit keeps it.
    private func requireNothingToLose(_ reference: String, isDetached: Bool) async throws(StackError) {
        let (changed, kept) = try await asking { () async throws(CommandFailure) in
            (try await git.hasLocalChanges(directory), try await git.isHeadKept(directory))
        }
        if changed {
            throw StackError(
                .localChanges,
                "\(directory) has local changes, but \(reference) is requested",
                hint: "commit them, or `git -C \(directory) stash`"
            )
        }
        if isDetached, !kept {
            throw StackError(
                .localChanges,
                "\(directory) has commits that are on no branch, but \(reference) is requested",
                hint: "keep them with `git -C \(directory)"
                    + " branch NAME`")
        }
    }

    private func fastForward(_ branch: String, _ record: inout RepositoryRecord) async throws(StackError) {
        let upstream = "refs/remotes/origin/\(branch)"
        let divergence = try await asking { () async throws(CommandFailure) -> (ahead: Int, behind: Int)? in
            guard try await git.commit(directory, upstream) != nil else { return nil }
            return try await git.divergence(directory, from: upstream)
        }
        guard let (ahead, behind) = divergence else {
            return record.notes.append("origin has no branch \(branch): nothing to pull")
        }
        if behind > 0, ahead > 0 {
            throw StackError(
                .localChanges,
                "\(directory) and origin's \(branch) have both gone on (\(ahead) commits here, \(behind) there)",
                hint: "merge or rebase by hand: git -C \(directory) rebase origin/\(branch)")
        }
        if ahead > 0 { record.notes.append("is \(ahead) commits ahead of origin") }
        guard behind > 0 else { return }
        do {
            try await git.change(GitArguments.fastForward(directory, to: upstream))
        } catch {
            guard case .exited = error.code else { throw failure("\(directory) cannot be brought forward", error) }
            throw StackError(
                .localChanges,
                "\(directory) has local changes in files that changed at origin too", cause: error.standardError,
                hint: "commit them, or `git -C \(directory) stash`")
        }
    }

    func changing(_ message: String, _ arguments: [String]) async throws(StackError) {
        do {
            try await git.change(arguments)
        } catch {
            throw failure("\(locator.repository): \(message)", error)
        }
    }

    func updateSubmodules() async throws(StackError) {
        guard FileTree.disk.kind("\(directory)/.gitmodules") == .file else { return }
        do {
            try await git.updateSubmodules(directory) { event(.transferring($0)) }
        } catch {
            throw failure("the submodules of \(locator.repository) could not be fetched", error)
        }
    }
}
