extension Git {
    /// Told what git says of its progress: `Receiving objects:  45% (12/27)`.
    package typealias ProgressHandler = @Sendable (String) -> Void

    /// Clones without checking anything out. The directory must be empty or absent.
    package func clone(
        _ url: String, into directory: String, progress: @escaping ProgressHandler = { _ in }
    ) async throws(CommandFailure) {
        try await transfer(GitArguments.clone(url, into: directory), url: url, progress: progress)
    }

    /// Fetches what the clone's configuration asks for, or these references.
    package func fetch(
        _ directory: String, _ references: [String] = [], progress: @escaping ProgressHandler = { _ in }
    ) async throws(CommandFailure) {
        let url = try await remoteURL(directory) ?? ""
        try await transfer(GitArguments.fetch(directory, references), url: url, progress: progress)
    }

    /// Brings the submodules to the commits that the work tree names.
    package func updateSubmodules(
        _ directory: String, progress: @escaping ProgressHandler = { _ in }
    ) async throws(CommandFailure) {
        try await transfer(GitArguments.updateSubmodules(directory), url: "", progress: progress)
    }

    private func transfer(
        _ arguments: [String], url: String, progress: @escaping ProgressHandler
    ) async throws(CommandFailure) {
        var git = self
        git.environment.merge(try await sshEnvironment()) { own, _ in own }
        let command = git.command(arguments)
        let report = TransferReport()
        let status = try await command.stream { stream, bytes throws(CommandFailure) in
            guard stream == .standardError else { return }
            for line in await report.lines(adding: bytes) { progress(line) }
        }
        guard status == 0 else {
            throw CommandFailure(
                .exited(status), command: command.description, standardError: await report.text)
        }
    }

    /// An ssh that fails where it would ask for a passphrase or about a host's key; not where the user has chosen a command.
    private func sshEnvironment() async throws(CommandFailure) -> [String: String] {
        if hasOwnSSH { return [:] }
        if try await answer(["config", "--get", "core.sshCommand"]) != nil { return [:] }
        return ["GIT_SSH_COMMAND": "ssh -o BatchMode=yes"]
    }
}

/// What a transfer writes to standard error: its progress, rewritten in place, and its messages.
private actor TransferReport {
    private var pending: [UInt8] = []
    private var messages: [String] = []

    /// What is left to say about a failure, without credentials.
    var text: String {
        let rest = String(decoding: pending, as: UTF8.self)
        let lines = messages + (rest.isEmpty || isProgress(rest) ? [] : [rest])
        return textWithoutCredentials(lines.suffix(12).joined(separator: "\n"))
    }

    /// The lines of progress that the bytes complete.
    func lines(adding bytes: [UInt8]) -> [String] {
        pending += bytes
        var progress: [String] = []
        while let end = pending.firstIndex(where: { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }) {
            let line = trimmed(String(decoding: pending[..<end], as: UTF8.self))
            pending.removeSubrange(...end)
            if line.isEmpty { continue }
            if isProgress(line) { progress.append(line) } else { messages.append(line) }
        }
        return progress
    }

    private func isProgress(_ line: String) -> Bool {
        line.contains("%") && line.contains(": ") || line.hasSuffix(", done.") || line.hasPrefix("Cloning into")
    }
}
