import ExternalTools
package import Rendering

extension PodmanRuntime {
    /// What runs of a deployment, by the labels of its pods alone: for looking where its files cannot be read.
    package func runningWorkloads(_ deployment: DeploymentModel) async throws(DeploymentError) -> [Workload] {
        let records = try await containers(of: deployment)
        let main = records.filter { $0.label(PodmanNames.role) == "main" }
        let byName = Dictionary(grouping: main) { $0.label(PodmanNames.workload) ?? "" }
        return byName.filter { !$0.key.isEmpty }.sorted { $0.key < $1.key }.map { name, containers in
            let isJob = containers.contains { $0.label(PodmanNames.kind) == "job" }
            let services = Set(containers.compactMap { $0.label(PodmanNames.container) })
            return Workload(name: name, kind: isJob ? .job : .deployment, component: "", services: services.sorted())
        }
    }
}
