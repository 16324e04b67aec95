/// What podman is asked, as argument lists that are tested without running it.
///
/// Written for podman 4.3 (Debian 12) and newer.
package enum PodmanArguments {
    package static let version = ["version", "--format", "json"]
    package static let info = ["info", "--format", "json"]

    private static func labels(_ labels: [String: String]) -> [String] {
        labels.sorted { $0.key < $1.key }.flatMap { ["--label", "\($0.key)=\($0.value)"] }
    }

    package static func containers(label: String, value: String) -> PodmanQuery {
        .list(["ps", "--all", "--pod", "--no-trunc"], "/containers/json?all=true", .label(label, value))
    }
    package static func pods(label: String, value: String) -> PodmanQuery {
        .list(["pod", "ps", "--no-trunc"], "/pods/json", .label(label, value))
    }
    /// Exits with 1 where podman knows no such container.
    package static func exists(_ container: String) -> [String] { ["container", "exists", container] }
    package static func inspectContainers(_ names: [String]) -> PodmanQuery {
        .objects(["container", "inspect"], "/containers", names)
    }
    package static func inspectImages(_ images: [String]) -> PodmanQuery {
        .objects(["image", "inspect"], "/images", images)
    }
    /// - Parameters:
    ///   - logins: a file with credentials for registries; nil: the user's own.
    ///   - isLoopback: whether the registry is on this host, where no certificate can be expected.
    package static func pull(_ image: String, logins: String? = nil, isLoopback: Bool = false) -> [String] {
        ["pull", "--quiet"] + (isLoopback ? ["--tls-verify=false"] : []) + (logins.map { ["--authfile", $0] } ?? [])
            + ["--", image]
    }

    package static func networks(label: String, value: String) -> PodmanQuery {
        .list(["network", "ls"], "/networks/json", .label(label, value))
    }
    package static func createNetwork(
        _ name: String, labels: [String: String], options: [PodmanOption] = []
    ) -> [String] {
        ["network", "create"] + self.labels(labels) + options.arguments + [name]
    }
    package static let allNetworks = PodmanQuery.list(["network", "ls"], "/networks/json")
    /// Joins a running container to a further network.
    package static func connect(_ container: String, to network: String) -> [String] {
        ["network", "connect", network, container]
    }
    package static func disconnect(_ container: String, from network: String) -> [String] {
        ["network", "disconnect", network, container]
    }
    package static func removeNetwork(_ name: String) -> [String] { ["network", "rm", name] }

    package static func volumes(label: String, value: String) -> PodmanQuery {
        .list(["volume", "ls"], "/volumes/json", .label(label, value))
    }
    package static func volumes(names: [String]) -> PodmanQuery {
        .list(["volume", "ls"], "/volumes/json", PodmanQuery.Filter(key: "name", values: names.map(exactly)))
    }
    package static func createVolume(_ name: String, labels: [String: String]) -> [String] {
        ["volume", "create"] + self.labels(labels) + [name]
    }
    /// A volume that is a directory of the host.
    package static func createVolume(
        _ name: String, labels: [String: String], over directory: String
    ) -> [String] {
        ["volume", "create"] + self.labels(labels) + [
            "--opt", "type=none", "--opt", "o=bind", "--opt", "device=\(directory)", name,
        ]
    }
    package static func removeVolumes(_ names: [String]) -> [String] { ["volume", "rm"] + names }

    static let allSecrets = PodmanQuery.list(["secret", "ls"], "/secrets/json")
    package static let secrets = ["secret", "ls", "--format", "{{.Name}}"]
    /// The value is read from standard input. Podman wants a pipe for `-`, also where that is spelled /dev/stdin.
    package static func createSecret(_ name: String, labels: [String: String]) -> [String] {
        ["secret", "create"] + self.labels(labels) + [name, "/proc/self/fd/0"]
    }
    package static func removeSecrets(_ names: [String]) -> [String] { ["secret", "rm"] + names }

    package static func createPod(_ name: String, labels: [String: String], options: [String]) -> [String] {
        ["pod", "create", "--name", name] + self.labels(labels) + options
    }
    /// Every pod and container of that name, whoever made it.
    package static func pods(name: String) -> PodmanQuery {
        let filter = PodmanQuery.Filter(key: "name", values: [exactly(name)])
        return .list(["pod", "ps", "--no-trunc"], "/pods/json", filter)
    }
    package static func containers(name: String) -> PodmanQuery {
        let filter = PodmanQuery.Filter(key: "name", values: [exactly(name)])
        return .list(["ps", "--all", "--pod", "--no-trunc"], "/containers/json?all=true", filter)
    }
    /// Ends containers that run or are being stopped: SIGKILL follows after the grace.
    package static func stop(_ names: [String], graceSeconds: Int) -> [String] {
        ["stop", "--ignore", "--time", "\(graceSeconds)"] + names
    }
    package static func removePods(_ names: [String], graceSeconds: Int) -> [String] {
        ["pod", "rm", "--force", "--ignore", "--time", "\(graceSeconds)"] + names
    }
    package static func removeContainers(_ names: [String], graceSeconds: Int) -> [String] {
        ["rm", "--force", "--ignore", "--volumes", "--time", "\(graceSeconds)"] + names
    }
    package static func run(name: String, pod: String, labels: [String: String], options: [String]) -> [String] {
        ["run", "--detach", "--pull", "never", "--name", name, "--pod", pod] + self.labels(labels)
            + options
    }
    /// Runs a container of its own, whose options end with the image and its arguments.
    package static func runOnce(name: String, labels: [String: String], options: [String]) -> [String] {
        ["run", "--pull", "never", "--name", name] + self.labels(labels) + options
    }
    /// Makes a container that is not in the deployment's network; the options end with the image and its arguments.
    package static func create(_ name: String, labels: [String: String], options: [String]) -> [String] {
        ["create", "--pull", "never", "--network", "none", "--name", name] + self.labels(labels) + options
    }
    /// Mounts everything of a container, without running it.
    package static func initialize(_ name: String) -> [String] { ["init", name] }
    package static func start(_ names: [String]) -> [String] { ["start"] + names }
    /// Prints the exit code once the container has ended. The interval is podman's own, between looks at its state.
    package static func wait(_ name: String) -> [String] { ["wait", "--interval", "50ms", name] }

    /// One line of JSON for each container that ends or starts, from `since` until `until`, in seconds of the epoch. The end bounds the life of a
    /// podman whose `so` was killed.
    package static func events(
        _ kinds: [String], since: Int, until: Int
    ) -> [String] {
        ["events", "--format", "json", "--filter", "type=container"] + kinds.flatMap { ["--filter", "event=\($0)"] }
            + ["--since", "\(since)", "--until", "\(until)"]
    }

    package static func logs(_ name: String, _ selection: LogSelection) -> [String] {
        var arguments = ["logs", "--timestamps"]
        if selection.follow { arguments.append("--follow") }
        if let tail = selection.tail { arguments += ["--tail", "\(tail)"] }
        if let since = selection.since { arguments += ["--since", since] }
        if let until = selection.until { arguments += ["--until", until] }
        return arguments + [name]
    }

    package static func exec(
        _ name: String, _ command: [String], interactive: Bool = false, tty: Bool = false, user: String? = nil,
        workingDirectory: String? = nil, environment: [String] = [], detach: Bool = false, privileged: Bool = false
    ) -> [String] {
        var arguments = ["exec"]
        if detach { arguments.append("--detach") }
        if privileged { arguments.append("--privileged") }
        if interactive { arguments.append("--interactive") }
        if tty { arguments.append("--tty") }
        if let user { arguments += ["--user", user] }
        if let workingDirectory { arguments += ["--workdir", workingDirectory] }
        for variable in environment { arguments += ["--env", variable] }
        return arguments + [name] + command
    }

    /// One side is `container:path`.
    package static func copy(from source: String, to target: String) -> [String] { ["cp", "--", source, target] }

    /// Has the Caddy in a container take over a file of its own; it keeps what it has where that is refused.
    package static func reloadRoutes(_ container: String, configuration: String) -> [String] {
        exec(container, ["caddy", "reload", "--config", configuration])
    }

    /// The name as a regular expression that matches nothing else.
    private static func exactly(_ name: String) -> String {
        "^" + name.split(separator: ".", omittingEmptySubsequences: false).joined(separator: "\\.") + "$"
    }
}

/// Which lines of a log are wanted.
package struct LogSelection: Hashable, Sendable {
    package var follow = false
    /// Only the last lines; nil is all.
    package var tail: Int?
    /// A duration such as `10m`, or an RFC 3339 time.
    package var since: String?
    /// The same, for the last line.
    package var until: String?

    package init(follow: Bool = false, tail: Int? = nil, since: String? = nil, until: String? = nil) {
        self.follow = follow
        self.tail = tail
        self.since = since
        self.until = until
    }
}
