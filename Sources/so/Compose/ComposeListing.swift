import Runtimes
import YAML

extension PodStatus {
    /// One line of `docker compose ps --format json`, with the keys that mean something here.
    func composeNode(project: String) -> Node {
        let publishers = ports.map { port -> Node in
            .map([
                ("URL", .string(port.hostIP.isEmpty ? "0.0.0.0" : port.hostIP)),
                ("TargetPort", .plain("\(port.containerPort)")), ("PublishedPort", .plain("\(port.hostPort)")),
                ("Protocol", .string(port.transport)),
            ])
        }
        return .map([
            ("Name", .string(pod)), ("Names", .string(pod)), ("Service", .string(service)),
            ("Project", .string(project)), ("Image", .string(image)), ("State", .string(composeState)),
            ("Status", .string(composeStatus)), ("ExitCode", .plain("\(exitCode ?? 0)")),
            ("Health", .string(composeHealth)), ("Ports", .string(ports.map(\.text).joined(separator: ", "))),
            ("Publishers", .list(publishers)),
        ])
    }

    private var composeState: String {
        switch state {
        case .running: "running"
        case .completed, .failed, .stopped: "exited"
        case .restarting: "restarting"
        case .pending, .absent, .scheduled: "created"
        }
    }

    private var composeHealth: String {
        switch healthy {
        case true?: "healthy"
        case false?: "unhealthy"
        case nil: ""
        }
    }

    private var composeStatus: String {
        switch composeState {
        case "running": composeHealth.isEmpty ? "Up" : "Up (\(composeHealth))"
        case "exited": "Exited (\(exitCode ?? 0))"
        default: composeState.prefix(1).uppercased() + composeState.dropFirst()
        }
    }
}
