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
        if warns { Diagnoses.warn(loaded.warnings, global: global) }
        handle = DeploymentHandle(
            loaded.model,
            runtime: try Host.deployments.runtime(
                for: loaded.spec, kubeconfig: directory.kubeconfigFile, kindNeeds: loaded.kindNeeds))
        // Once a command, however often it opens the deployment.
        guard loaded.spec.deployTo == .kubernetes, Self.openings.next() == 1 else { return }
        let warnings = ClusterRuntime.accessWarnings(
            kubeconfig: directory.kubeconfigFile, environment: Host.environment)
        Diagnoses.warn(warnings, global: global)
    }

    private static let openings = Counter()

    /// Reads the deployment; users that only the images know by their numbers are looked up once.
    static func complete(
        _ directory: DeploymentDirectory, global: GlobalOptions, warns: Bool = false, allocatesPorts: Bool = false
    ) async throws -> OpenDeployment {
        do {
            return try OpenDeployment(directory, global: global, warns: warns, allocatesPorts: allocatesPorts)
        } catch let error as InvalidInput {
            guard (try? await directory.lookUpUsers(Host.layerOptions())) == true else { throw error }
            return try OpenDeployment(directory, global: global, warns: warns, allocatesPorts: allocatesPorts)
        }
    }

    /// Takes the deployment's lock, finishes what a killed command left, reads the deployment and runs the body.
    static func locked<Result>(
        _ option: DirectoryOption, verb: String, global: GlobalOptions, warns: Bool = false,
        _ body: (OpenDeployment) async throws -> Result
    ) async throws -> Result {
        let directory = try DeploymentDirectory.open(option.directory)
        // Looking changes nothing, not even the lock file.
        if global.dryRun { return try await body(complete(directory, global: global, warns: warns)) }
        let lock = try await directory.lockForChange(verb: verb)
        let result = try await body(complete(directory, global: global, warns: warns, allocatesPorts: true))
        _ = consume lock
        return result
    }

    /// Runs the stack's hooks of an occasion, and those of the stacks that belong to it.
    func runHook(_ hook: StackHook, global: GlobalOptions) async throws {
        for path in loaded.stack.hookPaths(hook) {
            let python = PythonHook(hook, path: path, stack: loaded.stack)
            try await Deployments.runHook(path, facts: facts, python: python) { line in
                if !global.quiet { Terminal.note("\(hook.rawValue) hook: \(line)") }
            }
        }
    }

    /// Runs the scripts that stack.yml names for pods, each in its own directory as the predecessor did.
    func runPodCommands(_ script: KeyPath<ResolvedPod, String?>, _ name: String, global: GlobalOptions) async throws {
        for pod in loaded.stack.pods {
            guard let path = pod[keyPath: script] else { continue }
            try await Deployments.runHook(
                path, facts: facts,
                environment: ["SO_POD": pod.name, "CERC_SO_COMPOSE_PROJECT": loaded.directory.identity.clusterID],
                workingDirectory: Files.parent(of: path)
            ) { line in
                if !global.quiet { Terminal.note("\(name) of \(pod.name): \(line)") }
            }
        }
    }

    private var facts: HookFacts {
        HookFacts(directory: loaded.directory.root, identity: loaded.directory.identity, namespace: loaded.namespace)
    }

    /// Hands values from service to service, where something was started or an earlier start did not come that far.
    func exchange(after result: StartResult, global: GlobalOptions) async throws {
        let directory = loaded.directory
        guard !loaded.stack.file.config.isEmpty, result.changed || directory.hasPendingExchange else { return }
        try await Exchange(loaded.stack.file, handle: handle).run { line in
            if !global.quiet { Terminal.note(line) }
        }
        try directory.setPendingExchange(false)
    }
}

extension DeploymentDirectory {
    /// Takes the lock for a command that changes the deployment: a copy of one is refused, and what a killed command left is finished.
    func lockForChange(verb: String) async throws -> DirectoryLock {
        let lock = try await lock(verb: verb)
        try claim()
        try recover()
        return lock
    }

    /// Takes the lock as `so <verb>`, telling the user who is waited for.
    func lock(verb: String) async throws -> DirectoryLock {
        try await lock(holder: "`so \(verb)` (process \(getpid()))") { holder in
            Terminal.note("waiting for \(holder), which works on \(root)")
        }
    }
}
