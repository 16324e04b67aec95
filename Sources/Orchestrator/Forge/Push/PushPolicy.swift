import ExternalTools
import Synchronization

/// What work may be pushed: looked at in a repository of ours, before a token is even asked for.
package struct PushPolicy: Sendable, Hashable {
    /// Paths that an agent may not change, each a directory (with a slash at its end) or a file; whatever their case.
    package var protectedPaths: [String]
    /// Of all objects together, packed, in bytes.
    package var sizeLimit: Int
    package var commitLimit: Int
    package var looksForSecrets: Bool

    /// What runs with the repository's own rights when it is pushed.
    package static let defaultPaths = [
        ".github/workflows/", ".github/actions/", ".gitea/", ".forgejo/", ".gitlab-ci.yml", ".gitlab/", ".circleci/",
    ]

    package init(
        protectedPaths: [String] = defaultPaths, sizeLimit: Int = 100 << 20, commitLimit: Int = 500,
        looksForSecrets: Bool = true
    ) {
        self.protectedPaths = protectedPaths
        self.sizeLimit = sizeLimit
        self.commitLimit = commitLimit
        self.looksForSecrets = looksForSecrets
    }

    /// Looks at every commit, not only at the last: all of them are pushed.
    ///
    /// - Throws: ``TaskFailure`` (`refused`) that says what may not be pushed.
    package func check(_ work: CollectedWork) async throws {
        let git = ForgeGit(directory: work.gitDirectory, host: work.host)
        let range = ["\(work.base)..\(work.commit)"]
        let commits = try await read(git, ["rev-list", "--max-count=\(commitLimit + 1)"] + range + ["--"])
        guard commits.count <= commitLimit else {
            throw TaskFailure(.refused, "the work has more than \(commitLimit) commits")
        }
        try await checkSize(git, range)
        try await checkPaths(git, commits)
        if looksForSecrets {
            try await checkMessages(git, range)
            try await checkSecrets(git, range)
        }
    }

    private func checkSize(_ git: ForgeGit, _ range: [String]) async throws {
        let usage = try await read(git, ["rev-list", "--objects", "--disk-usage"] + range + ["--"])
        guard let size = usage.first.flatMap({ Int($0) }), size <= sizeLimit else {
            throw TaskFailure(.refused, "the work is larger than \(sizeLimit >> 20) MiB")
        }
    }

    private func checkPaths(_ git: ForgeGit, _ commits: [String]) async throws {
        guard !commits.isEmpty else { return }
        let command = git.command(
            ["diff-tree", "--stdin", "-r", "-m", "--root", "--no-renames", "--no-commit-id", "--name-only", "-z"],
            input: Array((commits.joined(separator: "\n") + "\n").utf8))
        let output: CommandOutput
        do {
            output = try await command.limited().run()
        } catch {
            throw TaskFailure(.refused, ForgeGit.error(error, "list what the work changes").description)
        }
        let paths = Set(output.standardOutput.split(separator: 0).map { String(decoding: $0, as: UTF8.self) })
        let touched = paths.filter(isProtected).sorted()
        guard touched.isEmpty else {
            throw TaskFailure(
                .refused, "the work changes protected paths: \(touched.prefix(10).joined(separator: ", "))")
        }
    }

    private func isProtected(_ path: String) -> Bool {
        let path = path.lowercased()
        return protectedPaths.contains { protected in
            let protected = protected.lowercased()
            return protected.hasSuffix("/")
                ? path.hasPrefix(protected) || path == protected.dropLast() : path == protected
        }
    }

    /// What a commit says of itself is pushed too.
    private func checkMessages(_ git: ForgeGit, _ range: [String]) async throws {
        let format = "--format=%x00commit %h%n%an%n%ae%n%cn%n%ce%n%B"
        let finding = Mutex<String?>(nil)
        let commit = Mutex("")
        do {
            let arguments = ["log", "--no-patch", "--no-color", "--no-show-signature", format] + range + ["--"]
            let status = try await git.command(arguments).limited().lines { stream, line throws(CommandFailure) in
                guard stream == .standardOutput else { return }
                if line.hasPrefix("\0") { commit.withLock { $0 = String(line.dropFirst()) } }
                guard let name = SecretPattern.found(in: line) else { return }
                let place = commit.withLock { $0 }
                finding.withLock { $0 = $0 ?? "what \(place) says of itself holds \(name)" }
            }
            guard status == 0 else { throw TaskFailure(.refused, "the work could not be looked at for secrets") }
        } catch let error as CommandFailure {
            throw TaskFailure(.refused, ForgeGit.error(error, "look at the work for secrets").description)
        }
        if let found = finding.withLock({ $0 }) { throw TaskFailure(.refused, "the work may not be pushed: \(found)") }
    }

    private func checkSecrets(_ git: ForgeGit, _ range: [String]) async throws {
        let arguments =
            [
                "log", "-p", "-m", "--no-ext-diff", "--no-textconv", "--no-color", "--unified=0", "--no-renames",
                "--format=commit %h", "--text",
            ] + range + ["--"]
        let finding = Mutex<String?>(nil)
        let file = Mutex("")
        do {
            let status = try await git.command(arguments).limited().lines { stream, line throws(CommandFailure) in
                guard stream == .standardOutput else { return }
                if line.hasPrefix("+++ b/") { file.withLock { $0 = String(line.dropFirst(6)) } }
                guard line.hasPrefix("+"), let name = SecretPattern.found(in: line) else { return }
                let place = file.withLock { $0 }
                finding.withLock { $0 = $0 ?? "\(place) holds \(name)" }
            }
            guard status == 0 else { throw TaskFailure(.refused, "the work could not be looked at for secrets") }
        } catch let error as CommandFailure {
            throw TaskFailure(.refused, ForgeGit.error(error, "look at the work for secrets").description)
        }
        if let found = finding.withLock({ $0 }) { throw TaskFailure(.refused, "the work may not be pushed: \(found)") }
    }

    private func read(_ git: ForgeGit, _ arguments: [String]) async throws -> [String] {
        do {
            return try await git.run(arguments, to: "look at the work", isLimited: true).split(separator: "\n").map(
                String.init)
        } catch {
            throw TaskFailure(.refused, error.description)
        }
    }
}
