package import Specs

/// Where a session's pods run. What follows from it is asked for by the name of the ability, never by that of the runtime.
package struct SessionRuntime: Hashable, Sendable, Codable {
    /// As the setting `deploy-to` has it.
    package private(set) var name: String
    /// The kubeconfig of a cluster; nil: the one that the environment names.
    package var kubeconfig: String?
    /// Where images are pushed to, for nodes that do not have what this host builds.
    package var imageRegistry: String?

    package init(_ target: DeploymentTarget = .podman, kubeconfig: String? = nil, imageRegistry: String? = nil) {
        name = target.rawValue
        self.kubeconfig = kubeconfig
        self.imageRegistry = imageRegistry
    }

    package var target: DeploymentTarget { DeploymentTarget(rawValue: name) ?? .podman }

    /// Whether pods see directories and programs of this host. Else what they need comes with their image, or through exec.
    package var mountsHost: Bool { target == .podman }
    /// Whether a session chooses the addresses of its pods. Else they are known by name, and by address once they run.
    package var fixesAddresses: Bool { target == .podman }
    /// Whether ports of 127.0.0.1 lead into the pods. Else they are forwarded while somebody wants them.
    package var publishesPorts: Bool { target == .podman }
    /// Whether pods of one session share a namespace that goes when they go.
    package var hasNamespaces: Bool { target != .podman }
    /// Whether a pod that is lost is brought up again without anybody's asking, and its agent with it.
    package var restartsPods: Bool { target != .podman }
    /// Whether a pod can ask for another program than the usual one to run it.
    package var hasRuntimeClasses: Bool { target != .podman }
    /// Whether a volume ends at the size that was asked for.
    package var limitsVolumes: Bool { target != .podman }
    /// Whether pods run where this host's images are not.
    package var needsRegistry: Bool { target == .kubernetes }

    /// The names of the runtimes, as the setting `deploy-to` and the flag take them.
    package static let names = DeploymentTarget.allCases.map(\.rawValue)

    /// Puts the runtime into a spec.
    func fill(_ spec: inout Spec) {
        spec.deployTo = target
        spec.imageRegistry = imageRegistry
        // What compose's networks keep apart on one host, policies keep apart in a cluster.
        spec.network.isolates = !fixesAddresses
        // The tag of an image is the digest of what is in it.
        if !mountsHost { spec.imagePullPolicy = .ifNotPresent }
    }
}
