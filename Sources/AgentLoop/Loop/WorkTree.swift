import ExternalTools

/// The checkout in the pod, where the agent may have done anything: git is asked, and never believed to be quiet.
struct WorkTree: Sendable {
    var configuration: LoopConfiguration
    var host: [String: String]

    func head() async throws -> String { try await git(["rev-parse", "--verify", "HEAD"]) }

    /// Commits what the agent left uncommitted, but for our own files.
    func commitRest(_ message: String) async throws {
        try await git(["add", "-A", "--", "."])
        // Where they are not ignored: an agent of another kind may have made its own checkout.
        try await git(["reset", "--quiet", "--", configuration.tasking, configuration.reporting])
        guard try await command(["diff", "--cached", "--quiet"]).result().status != 0 else { return }
        try await git(["commit", "--quiet", "--no-verify", "--no-gpg-sign", "-m", message])
    }

    func commits(since base: String) async throws -> [Reporting.Commit] {
        let lines = try await git(["log", "--reverse", "--max-count=200", "--format=%H %s", "\(base)..HEAD", "--"])
        return lines.split(separator: "\n").map { line in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return Reporting.Commit(sha: words[0], message: words.count > 1 ? String(words[1].prefix(300)) : "")
        }
    }

    func files(since base: String) async throws -> [Reporting.ModifiedFile] {
        let output = try await command(
            ["diff", "--no-ext-diff", "--no-renames", "--name-status", "-z", base, "HEAD", "--"]
        ).run()
        let parts = output.standardOutput.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        return stride(from: 0, to: parts.count - 1, by: 2).prefix(500).map { index in
            let type: Reporting.ChangeType =
                switch parts[index].first {
                case "A": .added
                case "D": .deleted
                default: .modified
                }
            return Reporting.ModifiedFile(path: parts[index + 1], changeType: type)
        }
    }

    @discardableResult
    private func git(_ arguments: [String]) async throws -> String { try await command(arguments).run().text }

    private func command(_ arguments: [String]) -> Command {
        // What the agent wrote into its repository's configuration is not to run here, or to hold this up.
        let settings = [
            "core.hooksPath=/dev/null", "core.fsmonitor=false", "core.quotePath=false", "submodule.recurse=false",
            "gc.auto=0", "maintenance.auto=false",
        ]
        var command = Command("git", settings.flatMap { ["-c", $0] } + arguments, host: host)
        command.workingDirectory = configuration.directory
        command.isDetached = true
        command.environment = [
            "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_AUTHOR_NAME": configuration.authorName,
            "GIT_AUTHOR_EMAIL": configuration.authorEmail, "GIT_COMMITTER_NAME": configuration.authorName,
            "GIT_COMMITTER_EMAIL": configuration.authorEmail,
        ]
        return command
    }
}
