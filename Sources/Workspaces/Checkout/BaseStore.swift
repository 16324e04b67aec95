import ExternalTools
import Glibc
import Runtimes

/// The bare repository from which sessions of a project take their objects, without a copy for each.
///
/// It is so's own and never the user's `.git`: what is in it stays, whatever the user deletes or garbage-collects.
package struct BaseStore: Sendable {
    package let stores: ProjectStores

    package init(_ stores: ProjectStores) { self.stores = stores }

    private var git: HostGit { stores.git(stores.base) }

    /// Brings the project's branches and tags up to date, and keeps the session's commit.
    package func prepare(
        _ session: SessionID, from project: ProjectRepository, at start: StartingPoint
    ) async throws {
        let lock = try await stores.lock(stores.base)
        if !Files.exists(stores.base) { try await make(from: project) }
        try await fetch(session, from: project, at: start)
        _ = consume lock
    }

    /// The first time: objects are linked where that is possible, so that a large repository takes neither time nor disk. The user's files cannot
    /// be written through the links, for sessions mount the store read-only.
    private func make(from project: ProjectRepository) async throws {
        let common = try await project.git.run(
            ["rev-parse", "--git-common-dir"], to: "find the repository's directory")
        let source = common.hasPrefix("/") ? common : "\(project.root)/\(common)"
        let hasOthers = Files.exists("\(source)/objects/info/alternates") || Files.exists("\(source)/shallow")
        try await stores.makeStore(stores.base) { aside in
            var host = stores.git("/")
            host.environment["GIT_CONFIG_GLOBAL"] = try trust()
            let clone = ["clone", "--quiet", "--bare", "--local", "--", source, aside]
            var isLinked = !hasOthers
            if isLinked { isLinked = try await host.command(clone).result().status == 0 }
            if isLinked { isLinked = try await opened(aside) }
            if !isLinked {
                try Files.remove(aside)
                try await host.run(
                    ["init", "--quiet", "--bare", "--shared=\(Self.mode)", "--", aside], to: "make the base store")
            }
            try await settle(stores.git(aside))
        }
    }

    /// Pods read the store as another user than its owner, whatever the umask of whoever runs `so`; its parent's mode keeps this host's users out.
    private static let mode = "0644"

    /// Lets pods read what the clone has made.
    ///
    /// - Returns: false where linked objects may not be read by others: their modes are those of the user's own files.
    private func opened(_ store: String) async throws -> Bool {
        func find(_ what: [String]) -> Command { Command("find", [store, "-type"] + what, host: stores.host) }
        let linked = find(["f", "-links", "+1", "!", "-perm", "-0004", "-print", "-quit"])
        guard try await linked.run().text.isEmpty else { return false }
        try await find(["d", "-exec", "chmod", "a+rx", "{}", "+"]).run()
        try await find(["f", "-links", "1", "-exec", "chmod", "a+r", "{}", "+"]).run()
        return true
    }

    /// Nothing in the store is ever collected as garbage, and no address of another repository stays in it.
    private func settle(_ git: HostGit) async throws {
        _ = try await git.answer(["config", "--remove-section", "remote.origin"])
        let settings = [
            ("gc.auto", "0"), ("gc.pruneExpire", "never"), ("core.logAllRefUpdates", "false"),
            ("core.sharedRepository", Self.mode),
        ]
        for (key, value) in settings {
            try await git.run(["config", key, value], to: "set up the base store")
        }
    }

    private func fetch(
        _ session: SessionID, from project: ProjectRepository, at start: StartingPoint
    ) async throws {
        var git = git
        git.environment["GIT_CONFIG_GLOBAL"] = try trust()
        let references = ["+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*", "+refs/remotes/*:refs/remotes/*"]
        let arguments =
            [
                "fetch", "--quiet", "--no-tags", "--prune", "--update-shallow", "--no-write-fetch-head",
                "--no-auto-maintenance", "--",
            ]
            + [project.root, "+HEAD:\(session.references)base"] + references
        try await git.run(arguments, to: "bring the project's commits into \(stores.base)", cancellation: .finish)
        // The user may have moved HEAD since it was looked at.
        guard try await git.commit(start.commit) != nil else {
            throw WorkspaceError(.failed, "the commit \(start.commit) of \(project.root) is gone", hint: "try again")
        }
        try await git.run(["update-ref", "\(session.references)base", start.commit], to: "keep the session's commit")
    }

    /// Git's upload-pack, which a fetch runs in the user's repository, takes it from a file alone that it may read a repository of another
    /// owner. It runs nothing that the repository names: `uploadpack.packObjectsHook` counts in protected configuration only (git-config(1)).
    private func trust() throws -> String {
        try stores.make()
        let path = "\(stores.directory)/git.config"
        let text = "[safe]\n\tdirectory = *\n[core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n"
        try Files.write(Array(text.utf8), to: path, mode: 0o600)
        return path
    }

    /// The references that a session's checkout shows as those of its origin, by name.
    func origins() async throws -> [(name: String, commit: String)] {
        let listed = try await git.run(
            ["for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags"], to: "list the branches")
        return listed.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return words.count == 2 ? (words[1], words[0]) : nil
        }
    }

    /// Lets go of a session's commit.
    package func release(_ session: SessionID) async throws {
        guard Files.exists(stores.base) else { return }
        let lock = try await stores.lock(stores.base)
        try await git.run(["update-ref", "-d", "\(session.references)base"], to: "let go of the session's commit")
        _ = consume lock
    }
}
