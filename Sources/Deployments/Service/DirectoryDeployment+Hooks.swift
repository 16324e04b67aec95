import OrderedCollections
import Runtimes
import Specs

extension DirectoryDeployment {
    /// Runs the stack's hooks of an occasion, and those of the stacks that belong to it.
    func runHooks(_ hook: StackHook, events: @escaping DeploymentEventHandler) async throws {
        for path in loaded.stack.hookPaths(hook) {
            let python = PythonHook(hook, path: path, stack: loaded.stack)
            try await runHook(
                path, facts: facts, host: host.environment, python: python, limit: host.hookLimit
            ) { line in
                events(.output(of: "\(hook.rawValue) hook", line: line))
            }
        }
    }

    /// Runs the scripts that stack.yml names for pods, each in its own directory as stack-orchestrator did.
    func runPodCommands(
        _ script: KeyPath<ResolvedPod, String?>, _ name: String, events: @escaping DeploymentEventHandler
    ) async throws {
        for pod in loaded.stack.pods {
            guard let path = pod[keyPath: script] else { continue }
            try await runHook(
                path, facts: facts, host: host.environment,
                environment: ["SO_POD": pod.name, "CERC_SO_COMPOSE_PROJECT": directory.identity.clusterID],
                workingDirectory: Files.parent(of: path), limit: host.hookLimit
            ) { line in
                events(.output(of: "\(name) of \(pod.name)", line: line))
            }
        }
    }

    /// Hands values from service to service, where something was started or an earlier start did not come that far.
    func exchange(after result: StartResult, events: @escaping DeploymentEventHandler) async throws {
        guard !loaded.stack.file.config.isEmpty, result.changed || directory.hasPendingExchange else { return }
        try await Exchange(loaded.stack.file, handle: handle, limit: host.hookLimit).run { line in
            events(.message(line))
        }
        try directory.setPendingExchange(false)
    }

    private var facts: HookFacts {
        HookFacts(directory: directory.root, identity: directory.identity, namespace: loaded.namespace)
    }
}
