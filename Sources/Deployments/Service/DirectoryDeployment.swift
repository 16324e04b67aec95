import Runtimes
import Specs
package import YAML

/// A deployment of a directory, read and rendered, with what runs it.
package struct DirectoryDeployment: Sendable {
    package let loaded: LoadedDeployment
    package let handle: DeploymentHandle
    let host: DeploymentHost
    /// What a user must know of the way to its cluster.
    package let accessWarnings: [Diagnostic]

    package var directory: DeploymentDirectory { loaded.directory }

    /// What its files gave rise to, and ``accessWarnings``.
    package var warnings: [Diagnostic] { loaded.warnings + accessWarnings }
}

extension DeploymentService {
    /// Reads and renders the deployment of a directory.
    ///
    /// - Parameter allocatesPorts: whether host ports are chosen where the files leave them open; the caller then holds the lock.
    /// - Throws: `InvalidInput` with every problem of its files at once.
    package func read(
        _ directory: DeploymentDirectory, allocatesPorts: Bool = false
    ) throws -> DirectoryDeployment {
        let loaded = try LoadedDeployment.load(
            directory, options: host.layerOptions, allocatesPorts: allocatesPorts)
        let kubeconfig = directory.kubeconfigFile
        let runtime = try runtime(for: loaded.spec, kubeconfig: kubeconfig, kindNeeds: loaded.kindNeeds)
        return DirectoryDeployment(
            loaded: loaded, handle: DeploymentHandle(loaded.model, runtime: runtime), host: host,
            accessWarnings: loaded.spec.ties.isElsewhere
                ? ClusterRuntime.accessWarnings(kubeconfig: kubeconfig, environment: host.environment) : [])
    }

    /// The same; users that only the images know by their numbers are looked up first, where they are needed.
    package func open(
        _ directory: DeploymentDirectory, allocatesPorts: Bool = false
    ) async throws -> DirectoryDeployment {
        do {
            return try read(directory, allocatesPorts: allocatesPorts)
        } catch let error as InvalidInput {
            guard (try? await directory.lookUpUsers(host.layerOptions)) == true else { throw error }
            return try read(directory, allocatesPorts: allocatesPorts)
        }
    }
}

extension [Diagnostic] {
    /// Hands each of them out as an event.
    func tell(_ events: DeploymentEventHandler) {
        for diagnostic in self { events(.runtime(Event(nil, .note(diagnostic)))) }
    }
}
