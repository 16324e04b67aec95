import ExternalTools
import Rendering

/// One pod as podman will be asked to make it: everything is resolved but what only the network knows.
struct PodmanPod: Sendable {
    var workload: String
    /// The compose services in it.
    var services: [String]
    var replica: Int
    var name: String
    var isJob: Bool
    /// Whether it is as it should be once it has ended well.
    var mayEnd: Bool
    /// Whether it is ready only when it has ended well.
    var completes: Bool
    /// How often a job that failed is run again.
    var retries: Int
    /// Whether the containers share one network namespace; a single container has its own, which is faster.
    var hasInfra: Bool
    var labels: [String: String]
    /// What its containers share; where each has its own, that there is nothing to share.
    var sharing: [PodmanOption]
    /// The network of a pod whose containers share one.
    var network: [PodmanOption]
    /// Init containers, in order.
    var steps: [PodmanContainer]
    var containers: [PodmanContainer]
    var hostPorts: [HostPort]
    /// Volumes that live and die with the pod.
    var ephemeralVolumes: [String]
    var graceSeconds: Int

    var all: [PodmanContainer] { steps + containers }

    /// For `podman pod create`.
    var options: [PodmanOption] { sharing + network }
}

/// One container as podman will be asked to run it.
struct PodmanContainer: Sendable {
    /// The name in the pod: the service.
    var container: String
    /// The name in podman.
    var name: String
    var image: String
    /// `Always`, `IfNotPresent` or `Never`.
    var pullPolicy: String
    var labels: [String: String]
    /// Its network, names and ports, where it has them for itself.
    var network: [PodmanOption]
    var restart: PodmanRestart?
    /// How long it may take to end; nil: podman's own.
    var stopSeconds: Int?
    var process = PodmanProcess()
    /// Namespaces, groups and settings of the kernel.
    var kernel: [PodmanOption] = []
    /// A name or number, with the group's behind a colon.
    var user: String?
    var security: [PodmanOption] = []
    var resources: [PodmanOption] = []
    var limits: [PodmanSettings.Limit] = []
    var settings: [PodmanOption] = []
    /// Names of the Container Device Interface.
    var devices: [String] = []
    /// What it finds inside: process 1, mounts, variables, secrets.
    var contents: [PodmanOption] = []
    /// The image's entrypoint is replaced by this.
    var entrypoint: [CommandWord]?
    /// The image's command is replaced by these.
    var arguments: [CommandWord]?
    /// Secrets that podman hands over as files or variables.
    var secretObjects: [PodmanSecret]
    var fileSets: [StateFiles]
    /// Directories of the host that take what the image holds at their place, as long as they are empty.
    var contentCopies: [ContentCopy] = []
    /// Volumes that the service gives no name.
    var anonymousVolumes: [String] = []
    /// Where anything is mounted in it.
    var mountedPaths: [String] = []
    var readiness: ReadinessCheck?
    var postStart: [String]?
    var preStop: [String]?
}

/// When podman itself starts a container again that has ended.
enum PodmanRestart: Hashable, Sendable {
    case never
    case always
    /// So many times.
    case onFailure(Int)

    fileprivate var text: String {
        switch self {
        case .never: "no"
        case .always: "always"
        case .onFailure(let times): "on-failure:\(times)"
        }
    }
}

/// How a container's process is run.
struct PodmanProcess: Hashable, Sendable {
    var workingDirectory: String?
    var isInteractive = false
    var hasTerminal = false
    var stopSignal: String?

    fileprivate var options: [PodmanOption] {
        [
            workingDirectory.map { .whole("--workdir", $0) }, isInteractive ? .flag("--interactive") : nil,
            hasTerminal ? .flag("--tty") : nil, stopSignal.map { .whole("--stop-signal", $0) },
        ].compactMap { $0 }
    }
}

extension PodmanContainer {
    /// Whether podman restarts it whenever it ends.
    var restartsAlways: Bool { restart == .always }

    /// Whether podman restarts it where it has failed.
    var restartsOnFailure: Bool {
        if case .onFailure? = restart { true } else { false }
    }

    /// For `podman run`, without image and arguments. Nobody reads them back but podman; their order is part of the fingerprints.
    var options: [PodmanOption] {
        let ends: [PodmanOption] =
            (restart.map { [.whole("--restart", $0.text)] } ?? [])
            + (stopSeconds.map { [.whole("--stop-timeout", "\($0)")] } ?? [])
        let identity = user.map { [PodmanOption.whole("--user", $0)] } ?? []
        let ulimits = limits.map { PodmanOption.element("--ulimit", "\($0.name)=\($0.soft):\($0.hard)") }
        return network + ends + process.options + kernel + identity + security + resources + ulimits + settings
            + devices.map { .element("--device", $0) } + contents
    }
}

/// One word of a command: the values of secret variables in it are unknown until it runs.
struct CommandWord: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        case text(String)
        /// A secret variable of the container's environment.
        case secret(String)
    }

    var pieces: [Piece]

    var literal: String? {
        var text = ""
        for piece in pieces {
            guard case .text(let part) = piece else { return nil }
            text += part
        }
        return text
    }
}

/// A secret of podman's own store.
struct PodmanSecret: Hashable, Sendable {
    enum Use: Hashable, Sendable {
        case file(path: String, mode: Int, uid: Int?, gid: Int?)
        case variable(String)
    }

    var name: String
    /// Nil where it exists already and is not ours to make.
    var value: [UInt8]?
    var use: Use

    /// For `podman run`.
    func option() throws(UnwritablePart) -> PodmanOption {
        switch use {
        case .file(let path, let mode, let uid, let gid):
            let owner = [("uid", uid), ("gid", gid)].compactMap { key, id in id.map { (key: key, value: "\($0)") } }
            return try .fields(
                "--secret",
                [("", name), ("type", "mount"), ("target", path), ("mode", "0" + String(mode, radix: 8))] + owner)
        case .variable(let variable):
            return try .fields("--secret", [("", name), ("type", "env"), ("target", variable)])
        }
    }
}

/// Files that are written below the state directory, named by their content, and mounted read-only.
struct StateFiles: Hashable, Sendable {
    struct File: Hashable, Sendable {
        var path: String
        var bytes: [UInt8]
        var mode: Int
    }

    var files: [File]
    /// Names this content and no other.
    var digest: String
}

/// A volume that is a directory of the host: while it is empty, the first container gets what its image holds there.
struct ContentCopy: Hashable, Sendable {
    /// Of the host.
    var path: String
    /// Where it is mounted.
    var target: String
}

/// A health check as `so` drives it.
struct ReadinessCheck: Hashable, Sendable {
    var command: [String]
    var initialDelay: Double
    var period: Double
    var timeout: Double
    /// So many failures in a row, one per period, are final.
    var failureThreshold: Int
    /// Failures do not count before the container has run so many seconds.
    var startPeriod: Double
}
