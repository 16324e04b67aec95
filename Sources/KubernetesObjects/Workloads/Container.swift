/// One container of a pod.
package struct Container: Codable, Hashable, Sendable {
    package var name: String
    package var image: String?
    package var imagePullPolicy: String?
    /// Replaces the image's entrypoint. `$(NAME)` expands, `$$(NAME)` does not.
    package var command: [String]?
    /// Replaces the image's command. `$(NAME)` expands, `$$(NAME)` does not.
    package var args: [String]?
    package var workingDir: String?
    package var env: [EnvVar]?
    package var envFrom: [EnvFromSource]?
    package var ports: [ContainerPort]?
    package var resources: ResourceRequirements?
    package var securityContext: SecurityContext?
    package var readinessProbe: Probe?
    package var startupProbe: Probe?
    package var livenessProbe: Probe?
    package var lifecycle: Lifecycle?
    package var stdin: Bool?
    package var tty: Bool?
    package var volumeMounts: [VolumeMount]?

    package init(name: String, image: String? = nil) {
        self.name = name
        self.image = image
    }
}

/// One variable of a container's environment.
package struct EnvVar: Codable, Hashable, Sendable {
    package var name: String
    /// `$(NAME)` expands, `$$(NAME)` does not.
    package var value: String?
    package var valueFrom: EnvVarSource?

    package init(name: String, value: String? = nil, valueFrom: EnvVarSource? = nil) {
        self.name = name
        self.value = value
        self.valueFrom = valueFrom
    }
}

/// Where a variable's value comes from.
package struct EnvVarSource: Codable, Hashable, Sendable {
    package var secretKeyRef: KeySelector?
    package var configMapKeyRef: KeySelector?

    package init(secretKeyRef: KeySelector? = nil, configMapKeyRef: KeySelector? = nil) {
        self.secretKeyRef = secretKeyRef
        self.configMapKeyRef = configMapKeyRef
    }
}

/// One key of a Secret or ConfigMap.
package struct KeySelector: Codable, Hashable, Sendable {
    package var name: String
    package var key: String
    package var optional: Bool?

    package init(name: String, key: String) {
        self.name = name
        self.key = key
    }
}

/// Every key of a Secret or ConfigMap as a variable.
package struct EnvFromSource: Codable, Hashable, Sendable {
    package var prefix: String?
    package var secretRef: SourceReference?
    package var configMapRef: SourceReference?

    package init(secret: String) {
        secretRef = SourceReference(name: secret)
    }
}

/// A Secret or ConfigMap as a whole.
package struct SourceReference: Codable, Hashable, Sendable {
    package var name: String
    package var optional: Bool?

    package init(name: String) {
        self.name = name
    }
}

/// A port that the container listens on; `hostPort` publishes it on the node.
package struct ContainerPort: Codable, Hashable, Sendable {
    package var name: String?
    package var containerPort: Int
    /// `TCP`, `UDP` or `SCTP`; always rendered, since server-side apply merges the list by port and protocol.
    package var `protocol`: String
    package var hostPort: Int?
    package var hostIP: String?

    package init(name: String? = nil, containerPort: Int, protocol transport: String) {
        self.name = name
        self.containerPort = containerPort
        self.protocol = transport
    }
}
