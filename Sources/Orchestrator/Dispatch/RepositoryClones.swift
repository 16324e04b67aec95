import ExternalTools
import Runtimes

/// Clones of the projects on this host: fetched from the forge, and what sessions begin from. No pod writes them.
actor RepositoryClones {
    private let directory: String
    private let forge: any Forge
    /// The operator's environment.
    private let host: [String: String]
    private var busy: Set<Int64> = []
    private var waiting: [Int64: [CheckedContinuation<Void, Never>]] = [:]

    init(directory: String, forge: any Forge, host: [String: String]) {
        self.host = host
        self.directory = directory
        self.forge = forge
    }

    /// Where a session of a task begins.
    struct Start: Sendable {
        /// The clone, whose files are those of the default branch: what a session is, nobody says who may only propose.
        var directory: String
        /// What the agent goes on from: its branch where there is one, else the default branch.
        var commit: String
    }

    /// Runs the body while the clone stays as it is.
    func with<Value: Sendable>(
        _ task: IssueTask, isolation: isolated (any Actor)? = #isolation,
        _ body: @Sendable (Start) async throws -> Value
    ) async throws -> Value {
        let id = task.issue.repository.id
        await enter(id)
        do {
            let value = try await body(try await prepare(task))
            await leave(id)
            return value
        } catch {
            await leave(id)
            throw error
        }
    }

    nonisolated func place(of repository: RepositoryReference) -> String {
        "\(directory)/\(repository.id)/\(repository.name.split(separator: "/").last ?? "project")"
    }

    private func enter(_ id: Int64) async {
        guard !busy.insert(id).inserted else { return }
        await withCheckedContinuation { waiting[id, default: []].append($0) }
    }

    private func leave(_ id: Int64) {
        if var queue = waiting[id], !queue.isEmpty {
            let next = queue.removeFirst()
            waiting[id] = queue
            next.resume()
        } else {
            busy.remove(id)
        }
    }

    private func prepare(_ task: IssueTask) async throws -> Start {
        let repository = task.issue.repository
        let path = place(of: repository)
        let git = ForgeGit(directory: "\(path)/.git", host: host)
        if !Files.exists("\(path)/.git/HEAD") {
            try Files.makeDirectory(path, mode: 0o700)
            try await git.run(
                ["--work-tree", path, "init", "--quiet", "--initial-branch=so"],
                to: "make a clone of \(repository.name)")
        }
        try await forge.fetch(repository, into: "\(path)/.git", host: host)
        let base = try await forge.defaultBranch(of: repository)
        guard let commit = try await tip(of: base, git) else {
            throw TaskFailure(.setup, "\(repository.name) has no branch \(base): it is empty")
        }
        try await git.run(
            ["--work-tree", path, "-c", "core.symlinks=false", "reset", "--quiet", "--hard", commit],
            to: "check out \(base) of \(repository.name)")
        let proposed = task.details.pullRequest == nil ? nil : try await tip(of: task.details.branch, git)
        return Start(directory: path, commit: proposed ?? commit)
    }

    private func tip(of branch: String, _ git: ForgeGit) async throws -> String? {
        let name = "refs/remotes/origin/\(branch)"
        let found = try await git.run(
            ["for-each-ref", "--format=%(objectname) %(refname)", name], to: "read the branches of the clone")
        let lines = found.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
        return lines.first { $0.last == Substring(name) }?.first.map(String.init)
    }
}
