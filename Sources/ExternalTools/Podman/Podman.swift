import FoundationEssentials

/// Starts podman, and reads its answers as types. What it is asked stands in ``PodmanArguments``.
package struct Podman: Sendable {
    /// The environment of whom podman works for, of which it gets ``inherited``.
    package let host: [String: String]
    /// Added to the environment of every podman that is started.
    package var environment: [String: String]
    /// Whether CONTAINER_HOST names a podman elsewhere, whose processes are not this host's.
    package let isRemote: Bool
    /// Answers what it can instead of a podman that is started for each question.
    package var service: (any PodmanService)?

    /// Podman with the configuration that `scripts/quickstart` may have written for `so` alone: CONTAINERS_CONF names `so/containers.conf` below the user's configuration directory where that file exists and
    /// the user has not set the variable, so that the user's own podman configuration is never touched.
    package init(
        inherited: [String: String],
        fileExists: (String) -> Bool = { FileManager.default.fileExists(atPath: $0) }
    ) {
        host = inherited
        // What the caller says of podman's own configuration counts, not what this process happens to have.
        environment = inherited.filter { $0.key.hasPrefix("CONTAINERS_") || $0.key.hasPrefix("CONTAINER_") }
        isRemote = inherited["CONTAINER_HOST"] != nil
        guard inherited["CONTAINERS_CONF"] == nil else { return }
        let configuration = inherited["XDG_CONFIG_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        guard let base = configuration ?? inherited["HOME"].map({ $0 + "/.config" }) else { return }
        let file = base + "/so/containers.conf"
        if fileExists(file) { environment["CONTAINERS_CONF"] = file }
    }

    /// What podman gets of the caller's environment: what says who and where the caller is, and how podman itself is to work. Podman hands its
    /// environment to programs that run as root (netavark, iptables, the OCI runtime), so nothing else comes in: no value of a stack, whatever it
    /// is called.
    package static let inherited = VariableSelection(
        names: [
            "PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLUMNS", "LINES", "TZ", "TMPDIR", "LANG", "LANGUAGE",
            "SSH_AUTH_SOCK", "SSL_CERT_FILE", "SSL_CERT_DIR", "DBUS_SESSION_BUS_ADDRESS", "REGISTRY_AUTH_FILE",
            "DOCKER_CONFIG", "DOCKER_HOST", "HTTP_PROXY", "HTTPS_PROXY", "FTP_PROXY", "ALL_PROXY", "NO_PROXY",
            "http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy",
        ],
        prefixes: [
            "LC_", "XDG_", "CONTAINERS_", "CONTAINER_", "_CONTAINERS_", "BUILDAH_", "PODMAN_", "STORAGE_", "NETAVARK_",
        ])

    /// Verbs that hold little: Go's collection of garbage would take an eighth of their processor time. What ends soon needs none before 64 MiB
    /// (Go collects first at 4 MiB × GOGC / 100: https://go.dev/doc/gc-guide); what may go on for long, none before 16.
    private static let collection: [String: String] = {
        let brief = [
            "container", "image", "inspect", "network", "pod", "ps", "rm", "run", "secret", "start", "stop", "volume",
        ]
        return Dictionary(uniqueKeysWithValues: brief.map { ($0, "1600") }).merging(["exec": "400"]) { $1 }
    }()

    /// One invocation. A container's secrets are not part of it: podman's store holds them.
    package func command(
        _ arguments: [String], input: [UInt8]? = nil, cancellation: Command.Cancellation = .terminate
    ) -> Command {
        var environment = environment
        if let verb = arguments.first, let percent = Self.collection[verb] { environment["GOGC"] = percent }
        var command = Command(
            "podman", arguments, host: host, environment: environment, input: input, cancellation: cancellation)
        command.inherited = Self.inherited
        return command
    }

    /// Runs it to its end; an exit code other than zero throws.
    @discardableResult
    package func run(_ arguments: [String]) async throws(CommandFailure) -> CommandOutput {
        try await command(arguments).run()
    }

    /// Runs what changes something: a cancelled task lets it finish, so that nothing stays half made.
    @discardableResult
    package func change(
        _ arguments: [String], input: [UInt8]? = nil
    ) async throws(CommandFailure) -> CommandOutput {
        try await command(arguments, input: input, cancellation: .finish).run()
    }

    /// The same, again where podman says no: a podman that an interrupted `so` left behind may still be at work on the same pod.
    @discardableResult
    package func runChecked(_ arguments: [String]) async throws(CommandFailure) -> CommandOutput {
        for _ in 1..<3 {
            do {
                return try await change(arguments)
            } catch {
                guard case .exited = error.code else { throw error }
            }
        }
        return try await change(arguments)
    }

    /// Runs a query and decodes the JSON that it prints; no output at all is an empty list. Podman's lists fail where somebody removes a thing
    /// between its name and its look-up (`no such volume`): they are asked for again.
    package func records<Record: Decodable>(
        _ type: Record.Type = Record.self, _ query: PodmanQuery
    ) async throws(CommandFailure) -> [Record] {
        let command = command(query.arguments)
        if let answer = await service?.answer(query), let records = try? decode([Record].self, answer, of: command) {
            return records
        }
        for _ in 1..<3 {
            do {
                return try decode([Record].self, try await command.run().standardOutput, of: command)
            } catch {
                guard case .exited(125) = error.code else { throw error }
            }
        }
        return try decode([Record].self, try await command.run().standardOutput, of: command)
    }
}

extension Podman {
    /// The names of all secrets in podman's store.
    package func secretNames() async throws(CommandFailure) -> [String] {
        let command = command(PodmanArguments.secrets)
        if let answer = await service?.answer(PodmanArguments.allSecrets),
            let records = try? decode([PodmanSecretRecord].self, answer, of: command)
        {
            return records.map(\.Spec.Name)
        }
        return try await command.run().text.split(separator: "\n").map(String.init)
    }
}

/// One secret as the service tells of it; podman's own list is made by a template, and is not JSON in 4.3.
private struct PodmanSecretRecord: Decodable {
    struct Specification: Decodable {
        var Name: String
    }

    var Spec: Specification
}

/// Decodes a program's JSON answer.
func decode<Value: Decodable>(
    _ type: Value.Type, _ bytes: [UInt8], of command: Command
) throws(CommandFailure) -> Value {
    let text = bytes.isEmpty || trimmed(String(decoding: bytes, as: UTF8.self)).isEmpty ? Array("[]".utf8) : bytes
    do {
        return try JSONDecoder().decode(Value.self, from: Data(text))
    } catch {
        throw CommandFailure(.unreadableOutput, command: command.description, cause: "\(error)")
    }
}
