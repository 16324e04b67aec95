import ExternalTools
import Rendering

extension PodmanRuntime {
    /// What a command is to run in: the container's name where this host's files tell that it runs, else what podman says.
    func target(of request: ExecRequest, in deployment: DeploymentModel) async throws(DeploymentError) -> String {
        if let name = nameOfRunning(request, in: deployment) { return name }
        return try await container(for: request, in: deployment)
    }

    /// The name of a container whose process runs, without a question to podman, which costs as much as half a command.
    ///
    /// - Returns: nil where that cannot be told, or where somebody else may hold the name: only a deployment made from memory has its namespace
    ///   for itself, while a directory may have been copied.
    private func nameOfRunning(_ request: ExecRequest, in deployment: DeploymentModel) -> String? {
        guard !deployment.hasVerbs, let workload = try? deployment.workload(named: request.service),
            let container = request.container ?? workload.services.first(where: { $0 == request.service })
        else { return nil }
        let pod = PodmanNames.pod(deployment.namespace, workload.name, replica: request.replica)
        let name = PodmanNames.container(pod, dnsSafe(container))
        return ContainerProcess(of: name, in: deployment, podman)?.runs == true ? name : nil
    }

    /// Says that a container does not run, where a command's exit code may be podman's own word for that and podman was not asked before.
    func refuseEnded(_ request: ExecRequest, in deployment: DeploymentModel, status: Int) async throws(DeploymentError)
    {
        // No such container, and one that does not run: https://docs.podman.io/en/latest/markdown/podman-exec.1.html#exit-status
        guard !deployment.hasVerbs, [125, 255].contains(status) else { return }
        _ = try await container(for: request, in: deployment)
    }

    /// The running container that a user means by a service's name.
    func container(
        for request: ExecRequest, in deployment: DeploymentModel
    ) async throws(DeploymentError) -> String {
        let records = try await containers(of: deployment)
        let workload = try deployment.workload(named: request.service)
        try deployment.requireReplica(request.replica, of: request.service)
        let wanted = request.container ?? (workload.services.contains(request.service) ? request.service : nil)
        let own = records.filter {
            $0.label(PodmanNames.workload) == workload.name && $0.label(PodmanNames.role) == "main"
                && $0.label(PodmanNames.replica) == "\(request.replica)"
        }
        let named = own.first { $0.label(PodmanNames.container) == wanted.map(dnsSafe) }
        guard let found = named ?? (request.container == nil ? own.first : nil) else {
            throw DeploymentError(.failed, "\(request.service) is not running", hint: deployment.command("start"))
        }
        guard found.State == "running" else {
            throw DeploymentError(
                .failed, "\(request.service) is not running: it is \(found.State), exit code \(found.ExitCode ?? 0)",
                hint: deployment.command("logs \(request.service)"))
        }
        return found.Id
    }

    /// The renderer's rule for container names.
    private func dnsSafe(_ name: String) -> String {
        String(name.lowercased().map { $0 == "_" || $0 == "." ? "-" : $0 })
    }
}
