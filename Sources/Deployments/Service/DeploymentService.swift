import ExternalTools
import Glibc
import Rendering
package import Runtimes
package import Specs
import YAML

/// Opens deployments, from their directories or from memory; one serves a whole process, with dozens of deployments at once.
///
/// It prints nothing, ends nothing, reads nothing of the process: what of the host deployments may use comes with ``DeploymentHost``. Every
/// operation can be cancelled, and leaves a state from which the next one goes on.
package struct DeploymentService: Sendable {
    package let host: DeploymentHost
    /// So many starts and stops are under way at a time; the others wait for their turn.
    let places: Gate
    /// So many pods are made at a time, by all of them together: more only get in each other's way.
    let makers: Gate
    /// What podman tells of containers, listened to by one podman for all of them.
    let containerEvents = PodmanEvents()
    /// What answers most of what podman is asked, one for all of them; it is started when it is needed first.
    private let podmanService: PodmanSocketService?

    /// - Parameters:
    ///   - atOnce: how many starts and stops are under way at a time.
    ///   - podsAtOnce: how many pods are made at a time.
    package init(_ host: DeploymentHost, atOnce: Int = 10, podsAtOnce: Int = 8) {
        self.host = host
        places = Gate(places: atOnce)
        makers = Gate(places: podsAtOnce)
        podmanService = host.podman.socketService()
    }

    /// Reads and renders a deployment that is made of values: good for looking at what runs of it and for stopping it.
    ///
    /// - Throws: as ``open(_:)``, also where a number or a port is needed that nobody has looked up or chosen yet.
    package func read(_ definition: DeploymentDefinition) throws -> OpenDeployment {
        try requirePrivate(directory: definition.stateDirectory)
        return try open(definition, allocatesPorts: false)
    }

    /// The same for whoever starts it: users that only the images know by their numbers are looked up where they are needed, and host ports
    /// are chosen where the files leave them open. Both are kept in the state directory.
    ///
    /// - Throws: `InvalidInput` with every problem of its files at once; ``DeploymentError`` (`notPermitted`) for a mount of the host that
    ///   is not allowed.
    package func open(_ definition: DeploymentDefinition) async throws -> OpenDeployment {
        try requirePrivate(directory: definition.stateDirectory)
        // Two that open it at once come to the same. The deployment's own lock is held for as long as a start takes.
        let lock = try await DirectoryLock.acquire(
            path: definition.stateDirectory + "/open.lock", holder: "process \(getpid())"
        ) { _ in }
        let deployment: OpenDeployment
        do {
            deployment = try open(definition, allocatesPorts: true)
        } catch let error as InvalidInput {
            guard (try? await definition.lookUpUsers(host)) == true else { throw error }
            deployment = try open(definition, allocatesPorts: true)
        }
        _ = consume lock
        return deployment
    }

    private func open(_ definition: DeploymentDefinition, allocatesPorts: Bool) throws -> OpenDeployment {
        var (model, warnings) = try definition.model(host, allocatesPorts: allocatesPorts)
        try model.refuseMounts(besides: definition.allowedPaths, of: definition.spec)
        let runtime = try runtime(
            for: definition.spec, kubeconfig: definition.kubeconfig,
            kindNeeds: KindNeeds(definition.spec, model, homeDirectory: nil, directory: nil))
        if definition.spec.ties.isElsewhere {
            warnings += ClusterRuntime.accessWarnings(
                kubeconfig: definition.kubeconfig, environment: host.environment)
        }
        return OpenDeployment(
            handle: DeploymentHandle(model, runtime: runtime), lockFile: definition.stateDirectory + "/lock",
            places: places,
            warnings: warnings)
    }

    /// What runs the deployments of a spec.
    package func runtime(
        for spec: Spec, kubeconfig: String?, kindNeeds: @autoclosure () -> KindNeeds
    ) throws -> any Runtime {
        switch spec.deployTo ?? .podman {
        case .podman:
            return PodmanRuntime(
                podman: host.podman,
                routes: RouteSettings(environment: host.environment, image: spec.caddyIngressImage), makers: makers,
                containerEvents: containerEvents, service: podmanService)
        case .kubernetes: return ClusterRuntime(kubeconfig: kubeconfig, environment: host.environment)
        case .kind:
            let ingress =
                spec.network.httpProxies.isEmpty
                ? nil : try host.ingressController(image: spec.caddyIngressImage, acmeEmail: spec.network.acmeEmail)
            return ClusterRuntime.kind(
                kindNeeds(), ingress: ingress, environment: host.environment, stateDirectory: host.kindDirectory)
        }
    }

    /// Makes a directory of mode 0700, or refuses one that others can look into.
    private func requirePrivate(directory: String) throws(DeploymentError) {
        guard directory.hasPrefix("/") else {
            throw DeploymentError(.cannotCreate, "the state directory \(directory) is not an absolute path")
        }
        try Files.makeDirectory(directory, mode: 0o700)
        guard Files.isPrivateDirectory(directory) else {
            throw DeploymentError(
                .notPermitted, "the state directory \(directory) is not this user's alone",
                hint: "chmod 700 \(shellQuoted(directory))")
        }
    }
}
