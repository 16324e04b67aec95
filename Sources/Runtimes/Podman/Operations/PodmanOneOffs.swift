import ExternalTools

extension PodmanRuntime {
    package func oneOffs(_ deployment: DeploymentModel) async throws(DeploymentError) -> [PodStatus] {
        do {
            let observed = try await podman.observe(deployment: deployment.id, images: [])
            return observed.containers.filter { $0.label(PodmanNames.role) == "run" }.map(PodStatus.init(oneOff:))
                .sorted { $0.pod < $1.pod }
        } catch {
            throw DeploymentError(podman: error)
        }
    }
}

extension PodStatus {
    fileprivate init(oneOff container: PodmanContainerRecord) {
        let isRunning = container.State == "running"
        let code = isRunning ? nil : container.ExitCode
        self.init(
            service: container.label(PodmanNames.workload) ?? container.name, pod: container.name, replica: 1,
            containers: [container.label(PodmanNames.container) ?? container.name], image: container.Image ?? "",
            state: isRunning ? .running : container.State == "created" ? .pending : code == 0 ? .completed : .failed,
            isReady: false, isJob: false, restarts: 0, exitCode: code, startedAt: container.StartedAt,
            ports: (container.Ports ?? []).compactMap { port in
                port.host_port.map {
                    Port(
                        hostIP: port.host_ip ?? "", hostPort: $0, containerPort: port.container_port,
                        transport: port.protocol ?? "tcp")
                }
            })
    }
}
