import Deployments
import Glibc
import OrderedCollections
import Rendering
import Stacks
import YAML

/// A deployment as the verbs use it: read, rendered, and with the runtime that it was made for.
struct OpenDeployment {
    let loaded: LoadedDeployment
    let handle: DeploymentHandle

    /// Reads the deployment without changing anything.
    init(_ option: DirectoryOption, global: GlobalOptions, warns: Bool = false) throws {
        try self.init(DeploymentDirectory.open(option.directory), global: global, warns: warns)
    }

    init(
        _ directory: DeploymentDirectory, global: GlobalOptions, warns: Bool = false, allocatesPorts: Bool = false
    ) throws {
        loaded = try LoadedDeployment.load(
            directory, options: Host.layerOptions(), allocatesPorts: allocatesPorts)
        let target = loaded.spec.deployTo ?? .podman
        if warns { Diagnoses.warn(loaded.warnings, global: global) }
        handle = DeploymentHandle(loaded.model, runtime: try Self.runtime(target, loaded))
    }

    /// What runs a deployment of this target.
    private static func runtime(_ target: DeploymentTarget, _ loaded: LoadedDeployment) throws -> any Runtime {
        switch target {
        case .podman: return PodmanRuntime()
        case .kubernetes:
            return ClusterRuntime(kubeconfig: loaded.directory.kubeconfigFile, environment: Host.environment)
        case .kind:
            return ClusterRuntime.kind(
                name: loaded.spec.kindClusterName, mounts: loaded.kindMounts,
                ingress: loaded.spec.network.httpProxies.isEmpty
                    ? nil : try Host.ingressController(image: loaded.spec.caddyIngressImage),
                environment: Host.environment, stateDirectory: Host.kindDirectory)
        }
    }

    /// Takes the deployment's lock, finishes what a killed command left, reads the deployment and runs the body.
    static func locked<Result>(
        _ option: DirectoryOption, verb: String, global: GlobalOptions, warns: Bool = false,
        _ body: (OpenDeployment) async throws -> Result
    ) async throws -> Result {
        let directory = try DeploymentDirectory.open(option.directory)
        // Looking changes nothing, not even the lock file.
        if global.dryRun { return try await body(OpenDeployment(directory, global: global, warns: warns)) }
        let lock = try await directory.lock(verb: verb)
        try directory.claim()
        try directory.recover()
        let result = try await body(
            OpenDeployment(directory, global: global, warns: warns, allocatesPorts: true))
        _ = consume lock
        return result
    }

    /// Runs one of the stack's hooks, if it has it.
    func runHook(_ hook: StackHook, global: GlobalOptions) async throws {
        guard let path = loaded.stack.hooks[hook] else { return }
        let directory = loaded.directory
        try await Deployments.runHook(
            path,
            facts: HookFacts(directory: directory.root, identity: directory.identity, namespace: loaded.namespace)
        ) { line in
            if !global.quiet { Terminal.note("\(hook.rawValue) hook: \(line)") }
        }
    }
}

extension DeploymentDirectory {
    /// Takes the lock as `so <verb>`, telling the user who is waited for.
    func lock(verb: String) async throws -> DirectoryLock {
        try await lock(holder: "`so \(verb)` (process \(getpid()))") { holder in
            Terminal.note("waiting for \(holder), which works on \(root)")
        }
    }
}
