package import ExternalTools

/// Git as `so` runs it on the host: in a repository of the user's, or in a store of `so`'s own; never in what an agent could write.
///
/// A repository's own configuration can name programs (hooks, fsmonitor, filters, merge drivers, transports), and a project may come from
/// anybody: all of them are set aside, by settings of the command scope, which go before the repository's.
struct HostGit: Sendable {
    /// The user's repository, or the bare store.
    var directory: String
    /// Whether the user's own configuration (identity, filters such as LFS) counts: in their repository, not in a store.
    var isProject: Bool
    /// The operator's environment, of which git gets ``inherited``.
    var host: [String: String]
    /// Settings of the command scope, besides ``guards``.
    var settings: [(key: String, value: String)] = []
    /// Added to what it inherits.
    var environment: [String: String] = [:]
    /// Whose numbers git runs with; nil: this process's own. Root's git must not leave files of root's in a user's repository.
    var owner: FileOwner?

    /// A bare store that so made itself.
    static func store(_ directory: String, host: [String: String]) -> HostGit {
        // A git that has outlived its `so` is waited for.
        let patience = ["core.filesRefLockTimeout", "core.packedRefsTimeout"].map { (key: $0, value: "10000") }
        return HostGit(directory: directory, isProject: false, host: host, settings: patience)
    }

    /// What a repository's configuration may not decide.
    static let guards: [(key: String, value: String)] = [
        ("core.hooksPath", "/dev/null"), ("core.fsmonitor", "false"),
        ("core.sshCommand", "false"), ("core.gitProxy", ""), ("core.pager", "cat"), ("core.editor", "false"),
        ("core.askPass", ""), ("credential.helper", ""), ("gpg.program", "false"), ("commit.gpgSign", "false"),
        ("tag.gpgSign", "false"), ("submodule.recurse", "false"), ("fetch.recurseSubmodules", "false"),
        ("protocol.allow", "never"), ("protocol.file.allow", "always"), ("protocol.ext.allow", "never"),
        ("gc.auto", "0"), ("maintenance.auto", "false"), ("diff.external", ""), ("merge.verifySignatures", "false"),
    ]

    /// Names of the operator's environment that git gets.
    private static let inherited: Set<String> = ["PATH", "TMPDIR"]
    /// Where git finds the user's own configuration.
    private static let configuration: Set<String> = ["HOME", "XDG_CONFIG_HOME"]

    func command(
        _ arguments: [String], input: [UInt8]? = nil, cancellation: Command.Cancellation = .terminate
    ) -> Command {
        let words = ["-C", directory, "--no-pager"] + arguments
        var command = owned("git", words)
        command.environment = completeEnvironment
        command.input = input
        command.cancellation = cancellation
        command.inherited = VariableSelection(
            names: isProject ? Self.inherited.union(Self.configuration) : Self.inherited)
        command.isDetached = true
        return command
    }

    /// The command as the owner runs it.
    private func owned(_ program: String, _ words: [String]) -> Command {
        guard let owner else { return Command(program, words, host: host) }
        let identity = ["--reuid", "\(owner.user)", "--regid", "\(owner.group)", "--clear-groups", "--no-new-privs"]
        return Command("setpriv", identity + ["--", program] + words, host: host)
    }

    private var completeEnvironment: [String: String] {
        var all = [
            "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1", "GIT_CONFIG_NOSYSTEM": "1", "GIT_ATTR_NOSYSTEM": "1",
            "GIT_ALLOW_PROTOCOL": "file", "GIT_PROTOCOL_FROM_USER": "0", "GIT_ADVICE": "0",
            "HOME": "/nonexistent", "XDG_CONFIG_HOME": "/nonexistent",
        ]
        var settings = Self.guards + [("safe.directory", directory)] + self.settings
        if isProject {
            settings.append(("core.alternateRefsCommand", "true"))
            // Nothing is fetched from here: a promisor's remote could name a program even for a path of this host.
            all["GIT_ALLOW_PROTOCOL"] = "none"
            for name in Self.configuration { all[name] = nil }
        } else {
            all["GIT_CONFIG_GLOBAL"] = "/dev/null"
        }
        all["GIT_CONFIG_COUNT"] = "\(settings.count)"
        for (index, setting) in settings.enumerated() {
            all["GIT_CONFIG_KEY_\(index)"] = setting.key
            all["GIT_CONFIG_VALUE_\(index)"] = setting.value
        }
        return all.merging(environment) { $1 }
    }

    /// What git prints, without the white space around it.
    /// - Throws: ``WorkspaceError`` (`failed`) saying what was being done where git fails.
    @discardableResult
    func run(
        _ arguments: [String], input: [UInt8]? = nil, to purpose: String,
        cancellation: Command.Cancellation = .terminate
    ) async throws(WorkspaceError) -> String {
        do {
            return try await command(arguments, input: input, cancellation: cancellation).run().text
        } catch {
            throw WorkspaceError(error, "cannot \(purpose)")
        }
    }

    /// What git prints; nil where it says no, or nothing.
    func answer(_ arguments: [String]) async throws(WorkspaceError) -> String? {
        do {
            let output = try await command(arguments).result()
            return output.status == 0 && !output.text.isEmpty ? output.text : nil
        } catch {
            throw WorkspaceError(error, "cannot ask git about \(directory)")
        }
    }

    /// The commit that a whole reference or an object's name leads to.
    func commit(_ reference: String) async throws(WorkspaceError) -> String? {
        try await answer(["rev-parse", "--verify", "--quiet", "--end-of-options", "\(reference)^{commit}"])
    }
}

/// Whom a directory belongs to.
package struct FileOwner: Hashable, Sendable {
    package var user: UInt32
    package var group: UInt32
}

extension WorkspaceError {
    /// A program that could not run, or that failed.
    package init(_ failure: CommandFailure, _ message: String) {
        let code: Code =
            switch failure.code {
            case .cancelled: .cancelled
            case .programMissing, .notStarted: .unavailable
            default: .failed
            }
        let said = failure.standardError.isEmpty ? failure.description : failure.standardError
        self.init(code, message, cause: said)
        if case .programMissing = failure.code { hint = failure.cause }
    }
}

extension HostGit {
    /// Which of a command's streams a file is.
    enum Redirection: String {
        /// Its output: the file is nobody else's.
        case output = "mask=$(umask); umask 077; exec >\"$file\"; umask \"$mask\"; exec \"$@\""
        case input = "exec \"$@\" <\"$file\""
    }

    /// Runs a command with one of its streams led to or from a file, which this process opens and not the user that git runs as. What git itself writes
    /// into a repository has the modes that it has there.
    static func through(
        _ file: String, _ redirection: Redirection, _ command: Command, to purpose: String
    ) async throws(WorkspaceError) {
        var led = command
        led.program = "sh"
        led.arguments =
            ["-c", "file=$1; shift; \(redirection.rawValue)", "so-pack", file, command.program] + command.arguments
        do {
            try await led.run()
        } catch {
            throw WorkspaceError(error, "cannot \(purpose)")
        }
    }
}
