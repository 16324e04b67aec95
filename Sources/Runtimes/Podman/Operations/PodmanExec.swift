package import ExternalTools
import FoundationEssentials
import Rendering
import YAML

extension PodmanRuntime {
    /// `--env NAME` takes the caller's own value of that very name.
    private func command(_ arguments: [String], _ request: ExecRequest) -> Command {
        var command = podman.command(arguments)
        command.inherited?.names.formUnion(request.environment.filter { !$0.contains("=") })
        return command
    }

    package func exec(
        _ deployment: DeploymentModel, _ request: ExecRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int {
        let request = request.suited(to: streams)
        let container = try await target(of: request, in: deployment)
        let arguments = PodmanArguments.exec(
            container, request.command, interactive: request.interactive, tty: request.tty, user: request.user,
            workingDirectory: request.workingDirectory, environment: request.environment,
            detach: request.isDetached, privileged: request.isPrivileged)
        let status: Int
        do {
            status = try await command(arguments, request).run(on: streams)
        } catch {
            throw DeploymentError(podman: error)
        }
        try await refuseEnded(request, in: deployment, status: status)
        return status
    }

    package func addresses(
        _ deployment: DeploymentModel, service: String
    ) async throws(DeploymentError) -> [ServiceAddress] {
        let container = try await container(for: ExecRequest(service: service, command: []), in: deployment)
        do {
            // Several containers of a pod have the network of the one that holds it.
            let pod = try await podman.containers(of: deployment.id)
            let name = pod.first { $0.Id == container }?.PodName
            let holder = pod.first { $0.IsInfra == true && $0.PodName == name }?.Id ?? container
            let networks = try await podman.inspect(containers: [holder]).first?.NetworkSettings?.Networks ?? [:]
            return networks.compactMap { name, settings in
                guard let address = settings.IPAddress, !address.isEmpty else { return nil }
                return ServiceAddress(network: name, address: address)
            }.sorted { $0.network < $1.network }
        } catch {
            throw DeploymentError(podman: error)
        }
    }

    package func watch(_ deployment: DeploymentModel, changed: @escaping @Sendable () -> Void) async {
        let since = Int(Date().timeIntervalSince1970)
        await containerEvents.follow(podman, ["start", "died", "remove"], deployment: deployment.id, since: since) {
            _ in
            changed()
        }
    }

    package func capture(
        _ deployment: DeploymentModel, _ request: ExecRequest, input: [UInt8]
    ) async throws(DeploymentError) -> CommandOutput {
        let container = try await target(of: request, in: deployment)
        let arguments = PodmanArguments.exec(
            container, request.command, interactive: request.interactive, user: request.user,
            workingDirectory: request.workingDirectory)
        let output: CommandOutput
        do {
            output = try await podman.command(arguments, input: request.interactive ? input : nil).result()
        } catch {
            throw DeploymentError(podman: error)
        }
        try await refuseEnded(request, in: deployment, status: output.status)
        return output
    }

    package func copy(
        _ deployment: DeploymentModel, _ request: CopyRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int {
        try await refuseAbsentSource(deployment, request)
        let words = request.words(container: try await container(for: request.target, in: deployment))
        do {
            return try await podman.command(PodmanArguments.copy(from: words.source, to: words.target))
                .run(on: streams.withoutInput)
        } catch {
            throw DeploymentError(podman: error)
        }
    }

    package func forward(
        _ deployment: DeploymentModel, _ request: ForwardRequest,
        events: @escaping @Sendable (ForwardEvent) async -> Void
    ) async throws(DeploymentError) -> Int {
        throw DeploymentError(
            .unsupported, "podman cannot forward ports of a running container",
            hint:
                "publish it: under `overrides` of spec.yml, `services: {\(request.service): {ports: [\"127.0.0.1:\(request.hostPort):\(request.port)\"]}}`"
        )
    }
}
