import ExternalTools
import FoundationEssentials
import Glibc

/// The user's repository that a session begins from and that its work comes back to.
package struct ProjectRepository: Sendable {
    /// The top of the work tree; absolute, without symbolic links.
    package let root: String
    let git: HostGit

    /// Finds the repository that a directory belongs to.
    ///
    /// - Parameter host: the operator's environment.
    /// - Throws: ``WorkspaceError`` (`missing`) where it belongs to none, (`invalid`) where it has no commit yet or lacks objects.
    package static func open(
        _ directory: String, host: [String: String]
    ) async throws(WorkspaceError) -> ProjectRepository {
        let owner = owner(of: directory)
        let asking = HostGit(
            directory: directory, isProject: true, host: host, settings: [("safe.directory", "*")], owner: owner)
        guard let top = try await asking.answer(["rev-parse", "--show-toplevel"]) else {
            throw WorkspaceError(
                .missing, "\(directory) is in no git repository",
                hint: "a session works on a clone: git init && git add -A && git commit -m start")
        }
        var git = HostGit(directory: top, isProject: true, host: host, owner: owner)
        git.settings = try await git.withoutFilters()
        return ProjectRepository(root: top, git: git)
    }

    private static func owner(of directory: String) -> FileOwner? {
        var status = stat()
        guard geteuid() == 0, stat(directory, &status) == 0, status.st_uid != 0 else { return nil }
        return FileOwner(user: status.st_uid, group: status.st_gid)
    }

    /// What the repository is at: where a session begins that asks for no other commit.
    package func start(at asked: String? = nil) async throws(WorkspaceError) -> StartingPoint {
        guard let commit = try await git.commit(asked ?? "HEAD") else {
            throw WorkspaceError(
                .invalid, "the repository \(root) has no commit yet", hint: "git add -A && git commit -m start")
        }
        let filter = try await git.answer([
            "config", "--get-regexp", "^(extensions\\.partialclone|remote\\..*\\.promisor)$",
        ])
        if filter != nil {
            throw WorkspaceError(
                .invalid, "\(root) is a partial clone: objects that a session needs are not here",
                hint:
                    "git -C \(shellQuoted(root)) fetch --refetch --no-filter origin, then git config --unset extensions.partialClone; git config --unset remote.origin.promisor"
            )
        }
        return StartingPoint(
            commit: commit, branch: try await git.answer(["symbolic-ref", "--quiet", "--short", "HEAD"]),
            remote: try await remote())
    }

    /// The address of `origin`, without credentials.
    private func remote() async throws(WorkspaceError) -> String? {
        try await git.answer(["config", "--get", "remote.origin.url"]).map(withoutCredentials)
    }

    /// Whether tracked files differ from what is committed.
    package func hasLocalChanges() async throws(WorkspaceError) -> Bool {
        // Inside a submodule git would run the programs that the submodule's own configuration names.
        let status = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=dirty"]
        return try await !git.run(status, to: "look for changes in \(root)").isEmpty
    }

    /// What a session that begins at a commit does not get, in words.
    func leftBehind(_ start: StartingPoint) async throws(WorkspaceError) -> [String] {
        var notes: [String] = []
        if try await hasLocalChanges() {
            notes.append(
                "what is not committed stays behind, and nothing is merged into a branch that is checked out with changes"
            )
        }
        let asked = ["config", "--blob", "\(start.commit):.gitmodules", "--get-regexp", "^submodule\\..*\\.path$"]
        let paths = try await git.answer(asked)?.split(separator: "\n").compactMap { line in
            line.split(separator: " ", maxSplits: 1).last.map(String.init)
        }
        if let paths, !paths.isEmpty {
            notes.append(
                "folders of submodules are empty in the session: \(paths.joined(separator: ", "))\nhint: git submodule update --init in the session, with their hosts in `egress: {allow: …}`"
            )
        }
        return notes
    }

    /// The branch's commit; nil where there is no such branch.
    package func branch(_ name: String) async throws(WorkspaceError) -> String? {
        try await git.commit("refs/heads/\(name)")
    }
}

/// The commit, branch and remote that a session begins from.
package struct StartingPoint: Hashable, Sendable {
    package var commit: String
    /// Nil where HEAD is detached.
    package var branch: String?
    /// Where the repository itself came from, without credentials.
    package var remote: String?
}

extension HostGit {
    /// Settings that take away the filter and merge drivers that the repository's own configuration names; those of the user's stay.
    func withoutFilters() async throws(WorkspaceError) -> [(key: String, value: String)] {
        let pattern =
            "^(filter\\..*\\.(clean|smudge|process|required)|merge\\..*\\.driver|diff\\..*\\.(command|textconv))$"
        // All scopes, for `--local` leaves out what a work tree has for itself (extensions.worktreeConfig).
        let asked = ["config", "--show-scope", "--includes", "--null", "--name-only", "--get-regexp", pattern]
        let words = try await answer(asked)?.split(separator: "\0").map(String.init) ?? []
        let names = stride(from: 0, to: words.count - 1, by: 2).compactMap { index in
            ["local", "worktree"].contains(words[index]) ? words[index + 1] : nil
        }
        return Set(names).sorted().map { name in
            (name, name.hasSuffix(".required") ? "false" : name.hasSuffix(".driver") ? "false" : "")
        }
    }
}
