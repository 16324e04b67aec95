/// A check that the kubelet runs; every number is in seconds or a count.
package struct Probe: Codable, Hashable, Sendable {
    package var exec: ExecAction?
    package var httpGet: HTTPGetAction?
    package var tcpSocket: TCPSocketAction?
    package var initialDelaySeconds: Int?
    package var periodSeconds: Int?
    package var timeoutSeconds: Int?
    package var successThreshold: Int?
    package var failureThreshold: Int?

    package init() {}
}

package struct ExecAction: Codable, Hashable, Sendable {
    /// Run as it stands: no shell, no expansion of `$(NAME)`.
    package var command: [String]

    package init(command: [String]) {
        self.command = command
    }
}

package struct HTTPGetAction: Codable, Hashable, Sendable {
    package var path: String?
    package var port: IntOrString
    package var scheme: String?

    package init(path: String?, port: IntOrString, scheme: String? = nil) {
        self.path = path
        self.port = port
        self.scheme = scheme
    }
}

package struct TCPSocketAction: Codable, Hashable, Sendable {
    package var port: IntOrString

    package init(port: IntOrString) {
        self.port = port
    }
}

/// What runs after a container starts and before it stops.
package struct Lifecycle: Codable, Hashable, Sendable {
    package var postStart: LifecycleHandler?
    package var preStop: LifecycleHandler?
    /// The signal that stops the container, such as `SIGQUIT` (Kubernetes 1.33).
    package var stopSignal: String?

    package init() {}
}

package struct LifecycleHandler: Codable, Hashable, Sendable {
    package var exec: ExecAction?

    package init(command: [String]) {
        exec = ExecAction(command: command)
    }
}
