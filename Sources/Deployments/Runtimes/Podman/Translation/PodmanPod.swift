import ExternalTools

/// One pod as podman will be asked to make it: everything is resolved but what only the network knows.
struct PodmanPod: Sendable {
    /// A port of this host that reaches the pod.
    struct HostPort: Hashable, Sendable {
        var address: String
        var port: Int
        var containerPort: Int
        var transport: String
    }

    var workload: String
    /// The compose services in it.
    var services: [String]
    var replica: Int
    var name: String
    var isJob: Bool
    /// Whether it is ready only when it has ended well.
    var completes: Bool
    /// How often a job that failed is run again.
    var retries: Int
    /// Whether the containers share one network namespace; a single container has its own, which is faster.
    var hasInfra: Bool
    var labels: [String: String]
    /// For `podman pod create`.
    var options: [PodmanOption]
    /// Init containers, in order.
    var steps: [PodmanContainer]
    var containers: [PodmanContainer]
    var hostPorts: [HostPort]
    /// Volumes that live and die with the pod.
    var ephemeralVolumes: [String]
    var graceSeconds: Int

    var all: [PodmanContainer] { steps + containers }
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
    /// For `podman run`, without image and arguments.
    var options: [PodmanOption]
    /// The image's entrypoint is replaced by this.
    var entrypoint: [CommandWord]?
    /// The image's command is replaced by these.
    var arguments: [CommandWord]?
    /// Secrets that podman hands over as files or variables.
    var secretObjects: [PodmanSecret]
    var fileSets: [FileSet]
    /// Directories of the host that take what the image holds at their place, as long as they are empty.
    var contentCopies: [ContentCopy] = []
    var readiness: ReadinessCheck?
    var postStart: [String]?
    var preStop: [String]?
    /// Whether podman itself restarts it whenever it ends.
    var restartsAlways: Bool
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
struct FileSet: Hashable, Sendable {
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
