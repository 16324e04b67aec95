/// What the objects are rendered for: where they run and whose they are.
package struct RenderOptions: Sendable {
    /// The runtime that takes the objects.
    package enum Target: String, Hashable, Sendable, CaseIterable {
        case podman
        case kind = "k8s-kind"
        case kubernetes = "k8s"
        /// No runtime: `so render` for reading; published ports stay ports of the Service.
        case none
    }

    package var target: Target
    package var namespace: String
    /// The label `app.kubernetes.io/instance`.
    package var deploymentID: String
    /// The label `app.kubernetes.io/part-of`.
    package var stackName: String
    /// The deployment's directory, absolute: relative paths of `volumes` and `configmaps` resolve against it.
    package var deploymentDirectory: String?
    /// What `~` in a path of the spec stands for; nil: such a path is an error.
    package var homeDirectory: String?
    /// Whether paths of the host are mounted as they stand, as docker compose does: the project is its user's own, and podman runs it.
    package var mountsInPlace = false
    /// Whether a key without an equivalent is an error instead of a warning.
    package var isStrict = false
    /// Whether the result lists what became of every key.
    package var listsDispositions = false
    /// Images to run instead of those the files name: digests, references in a registry.
    package var images: [String: String] = [:]
    package var ingressClassName: String?
    /// The cert-manager ClusterIssuer that certificates come from; nil: the ingress controller brings its own.
    package var clusterIssuer: String?
    /// The address that `host-gateway` means, where it is known.
    package var hostGateway: String?
    /// Allocated node ports (on podman: host ports) by ``publishedPortKey(service:port:transport:)``; absent ones are left to the runtime.
    package var allocatedPorts: [String: Int] = [:]
    /// The number that an image gives a user or group that a service names; nil where nobody has looked.
    package var userNumber: @Sendable (ImageUser) -> Int? = { _ in nil }
    /// A digest of what was last written at a path of the deployment, by its absolute path: pods that mount it from the host
    /// are replaced when that changes. Nil: nothing is known of it.
    package var writtenContent: @Sendable (String) -> String? = { _ in nil }

    package init(target: Target, namespace: String, deploymentID: String, stackName: String) {
        self.target = target
        self.namespace = namespace
        self.deploymentID = deploymentID
        self.stackName = stackName
    }

    /// `web/80-tcp`: names one port of one service.
    ///
    /// - Parameters:
    ///   - ordinal: which of several mappings of the port that leave the host's number open (`#2` and so on behind the name).
    ///   - replica: on podman each replica has host ports of its own (`.2` and so on behind the name).
    package static func publishedPortKey(
        service: String, port: Int, transport: String, ordinal: Int = 1, replica: Int = 1
    ) -> String {
        "\(service)/\(port)-\(transport.lowercased())" + (ordinal > 1 ? "#\(ordinal)" : "")
            + (replica > 1 ? ".\(replica)" : "")
    }
}

/// A user or group by the name that an image gives it.
package struct ImageUser: Hashable, Sendable {
    /// As the files name it, whatever the pods will pull.
    package var image: String
    package var name: String
    package var isGroup: Bool

    package init(image: String, name: String, isGroup: Bool) {
        self.image = image
        self.name = name
        self.isGroup = isGroup
    }
}
