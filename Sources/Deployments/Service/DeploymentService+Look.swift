import Rendering
import Runtimes
package import Specs
package import YAML

/// A deployment for those who look at what runs of it, or work in it, and change none of its pods.
package struct RunningDeployment: Sendable {
    package let handle: DeploymentHandle
    /// Where it runs.
    package let target: DeploymentTarget
    /// What a user must know of the way to its cluster.
    package let accessWarnings: [Diagnostic]
    /// Why its files cannot be read, where what runs is known by its labels alone.
    package let problems: [Diagnostic]
}

extension DeploymentService {
    /// Opens a deployment to look at it. What is wrong with its files, which one of its own containers may have written, keeps nobody
    /// from that on podman.
    ///
    /// - Throws: `InvalidInput` where the files are needed to find what runs.
    package func look(_ directory: DeploymentDirectory) async throws -> RunningDeployment {
        do {
            let deployment = try read(directory)
            return RunningDeployment(
                handle: deployment.handle, target: deployment.loaded.spec.deployTo ?? .podman,
                accessWarnings: deployment.accessWarnings, problems: [])
        } catch let error as InvalidInput {
            guard directory.identity.ties.isFoundByLabels else { throw error }
            var handle = try unreadable(directory)
            if let podman = handle.runtime as? PodmanRuntime {
                handle.model.rendered.workloads = try await podman.runningWorkloads(handle.model)
            }
            return RunningDeployment(
                handle: handle, target: .podman, accessWarnings: [], problems: error.diagnostics)
        }
    }

    /// A deployment on podman whose files cannot be read.
    func unreadable(_ directory: DeploymentDirectory) throws -> DeploymentHandle {
        let model = directory.unreadableModel(homeDirectory: host.layerOptions.homeDirectory)
        let runtime = try runtime(
            for: Spec(), kubeconfig: nil,
            kindNeeds: KindNeeds(Spec(), model, homeDirectory: nil, directory: nil))
        return DeploymentHandle(model, runtime: runtime)
    }
}
