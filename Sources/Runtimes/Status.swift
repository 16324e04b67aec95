import ExternalTools
package import Specs

/// How one pod of a deployment stands, as seen at this moment.
package struct PodStatus: Hashable, Sendable, Encodable {
    package enum State: String, Hashable, Sendable, Encodable {
        case running
        /// It ended with exit code 0.
        case completed
        /// It ended with another exit code, or could not be started.
        case failed
        /// It restarts after having ended.
        case restarting
        /// It is stopped, and the next start starts it.
        case stopped
        /// It is wanted and does not exist.
        case absent
        /// It exists and does not run yet: it waits for a node, an image or a volume.
        case pending
        /// It runs by the clock, and is not due.
        case scheduled

        /// The states that a word means: one of these, or one of docker's.
        package static func named(_ word: String) -> Set<State> {
            if let state = State(rawValue: word) { return [state] }
            return switch word {
            case "exited": [.completed, .failed, .stopped]
            case "created": [.pending]
            default: []
            }
        }
    }

    package struct Port: Hashable, Sendable, Encodable {
        /// Empty for every address.
        package var hostIP: String
        package var hostPort: Int
        package var containerPort: Int
        /// `tcp`, `udp` or `sctp`.
        package var transport: String
    }

    package var service: String
    package var pod: String
    package var replica: Int
    /// The containers in the pod that run a service, by name.
    package var containers: [String]
    package var image: String
    package var state: State
    /// Whether its health check passes now; nil where it has none.
    package var healthy: Bool?
    /// What the failing health check said.
    package var health: String?
    package var isReady: Bool
    package var isJob: Bool
    package var restarts: Int
    package var exitCode: Int?
    /// Seconds of the epoch.
    package var startedAt: Int?
    package var ports: [Port]
    /// Where the routes that lead to it answer.
    package var routes: [String] = []
}

/// Asks for the log lines of a deployment.
package struct LogRequest: Hashable, Sendable {
    /// Empty: every service.
    package var services: [String]
    package var follow: Bool
    /// Only so many of the last lines of each container.
    package var tail: Int?
    /// A duration (`10m`) or an RFC 3339 time.
    package var since: String?
    /// The same; podman only.
    package var until: String?
    /// Only this one of several replicas, from one.
    package var replica: Int?

    package init(services: [String] = [], follow: Bool = false, tail: Int? = nil, since: String? = nil) {
        self.services = services
        self.follow = follow
        self.tail = tail
        self.since = since
    }
}

/// One line that a container wrote.
package struct LogLine: Hashable, Sendable {
    package var service: String
    package var replica: Int
    package var container: String
    package var isError: Bool
    /// RFC 3339 with nanoseconds.
    package var time: String
    package var text: String
}

/// Asks for a command to be run in a running service.
package struct ExecRequest: Hashable, Sendable {
    package var service: String
    /// Which of several replicas, from one.
    package var replica: Int
    /// Which of several containers; nil: the service's own.
    package var container: String?
    package var command: [String]
    package var interactive: Bool
    package var tty: Bool
    package var user: String?
    package var workingDirectory: String?
    /// `NAME=value`, or a name that the operator's environment has.
    package var environment: [String] = []
    /// Whether it is left running, without any streams; podman only.
    package var isDetached = false
    /// Whether it has all of the host's capabilities; podman only.
    package var isPrivileged = false

    /// - Parameter command: its words; a single one with blanks in it is a line for the shell.
    package init(service: String, command: [String], interactive: Bool = false, tty: Bool = false) {
        self.service = service
        let isLine = command.count == 1 && command[0].contains { $0 == " " || $0 == "\t" || $0 == "\n" }
        self.command = isLine ? ["sh", "-c"] + command : command
        self.interactive = interactive
        self.tty = tty
        replica = 1
    }

    /// The same, with what the streams of its caller ask for.
    func suited(to streams: CommandStreams) -> ExecRequest {
        if streams.files != nil { return self }
        var request = self
        request.interactive = streams.input != nil || streams.terminal != nil
        request.tty = streams.terminal != nil
        return request
    }
}

/// Asks for a container of its own with a service's settings.
package struct RunRequest: Hashable, Sendable {
    package var service: String
    /// Instead of the service's own; empty: that one.
    package var command: [String]
    package var entrypoint: String?
    /// `NAME=value`, or a name that the operator's environment has.
    package var environment: [String] = []
    /// Variables of env files, which ``environment`` overrides: their values may be secret.
    package var fileVariables: [String: String] = [:]
    package var addedCapabilities: [String] = []
    package var droppedCapabilities: [String] = []
    package var user: String?
    package var workingDirectory: String?
    package var name: String?
    package var interactive = false
    package var tty = false
    package var isDetached = false
    /// Whether the container is removed once it has ended.
    package var removes = false
    package var publishesPorts = false
    /// Whether it is found by the service's names, too.
    package var usesAliases = false
    /// Further ones, as compose's short syntax has them; paths are absolute.
    package var volumes: [String] = []
    package var ports: [String] = []
    package var labels: [String] = []
    package var pull: PullChoice?

    package init(service: String, command: [String]) {
        self.service = service
        self.command = command
    }

    /// The same, with what the streams of its caller ask for.
    func suited(to streams: CommandStreams) -> RunRequest {
        if streams.files != nil { return self }
        var request = self
        request.interactive = streams.input != nil || streams.terminal != nil
        request.tty = streams.terminal != nil
        return request
    }
}

/// Asks for files to be copied into a running service, or out of it.
package struct CopyRequest: Hashable, Sendable {
    package enum Direction: Hashable, Sendable {
        case intoService
        case outOfService
    }

    package var service: String
    /// Which of several replicas, from one.
    package var replica = 1
    package var direction: Direction
    package var pathInService: String
    /// A path of this host.
    package var path: String

    package init(service: String, direction: Direction, pathInService: String, path: String) {
        self.service = service
        self.direction = direction
        self.pathInService = pathInService
        self.path = path
    }

    /// Source and target, where the container's side begins with this.
    func words(container: String) -> (source: String, target: String) {
        let there = "\(container):\(pathInService)"
        // A colon in a path of this host would be taken for another container's name.
        let here = path.hasPrefix("/") || path.hasPrefix("./") || path.hasPrefix("../") ? path : "./\(path)"
        return direction == .intoService ? (here, there) : (there, here)
    }

    /// For the container that it means.
    var target: ExecRequest {
        var request = ExecRequest(service: service, command: [])
        request.replica = replica
        return request
    }
}

/// How patient a start is.
package struct StartOptions: Hashable, Sendable {
    /// A service that ends this often, with ``crashSeconds`` gone by without progress anywhere, has failed.
    package var crashBudget = 5
    package var crashSeconds = 10
    /// Only these services and what they depend on; empty: all.
    package var services: [String] = []
    /// Leaves alone what ``services`` depend on; podman only.
    package var leavesDependencies = false
    /// Leaves pods as they are whose definition changed; podman only.
    package var keepsChanged = false
    /// Instead of each service's own pull policy; podman only.
    package var pull: PullChoice?
    /// On a cluster: take over fields that another manager owns.
    package var forceConflicts = false
    /// On a cluster: delete and recreate the workloads whose changes the API refuses.
    package var recreatesWorkloads = false
    /// Whether pods are replaced that did not change; jobs that ended well stay.
    package var replacesAll = false
    /// Whether ``replacesAll`` is about services that have ended, too, as docker compose runs them again; podman only.
    package var replacesEnded = false
    /// Whether pods that are replaced begin with empty volumes where these have no name of the user's; podman only.
    package var renewsAnonymousVolumes = false
    /// Instead of each service's own grace period, where a pod is replaced; podman only.
    package var graceSeconds: Int?
    /// Services that ``replacesAll`` leaves alone, by name.
    package var spared: Set<String> = []
    /// Whether pods that the files have no more stay, as docker compose leaves orphans; podman only.
    package var keepsOrphans = false
    /// Who answers all routes while pods are replaced.
    package var maintenance: RouteTarget?

    package init() {}
}

/// Which images of a start are asked for at their registries.
package enum PullChoice: String, Hashable, Sendable, CaseIterable {
    /// All of them; a pod whose image changed is replaced.
    case always
    /// Those that are not on this host.
    case missing
    case never
}

/// What a stop takes away besides the pods.
package struct StopOptions: Hashable, Sendable {
    /// Only these services' pods, and nothing else; empty: all.
    package var services: [String] = []
    /// The deployment's volumes, its directories below ``DeploymentModel/dataDirectory`` and its secrets.
    package var deleteVolumes = false
    package var deleteNamespace = false
    /// Instead of each service's own grace period.
    package var graceSeconds: Int?

    package init() {}

    /// Removes the pods, with what holds their data.
    package static func withVolumes(graceSeconds: Int) -> StopOptions {
        var options = StopOptions()
        (options.deleteVolumes, options.graceSeconds) = (true, graceSeconds)
        return options
    }
}

/// What a start came to.
package struct StartResult: Hashable, Sendable {
    package var plan: Plan
    /// Where what was started answers on this host.
    package var published: [PublishedPort]
    /// Where its routes answer.
    package var routes: [RouteAddress] = []
    /// Whether anything was changed.
    package var changed: Bool { !plan.isEmpty }
}

/// A port of a service as it is published on this host.
package struct PublishedPort: Hashable, Sendable {
    package var service: String
    package var port: PodStatus.Port
    /// The number that the spec or a compose file asks for, where the cluster has another one.
    package var wanted: Int?
}

/// Where a route answers.
package struct RouteAddress: Hashable, Sendable {
    package var service: String
    package var url: String
}
