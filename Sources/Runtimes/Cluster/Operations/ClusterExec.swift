import Compose
package import ExternalTools
import KubernetesClient
import Rendering
import YAML

extension ClusterRuntime {
    package func exec(
        _ deployment: DeploymentModel, _ request: ExecRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int {
        let (pod, command) = try await command(for: request.suited(to: streams), of: deployment)
        return try await presence(of: pod, in: deployment).whileThere {
            do throws(CommandFailure) {
                return try await command.run(on: streams)
            } catch {
                throw DeploymentError(kubectl: error, "the command could not be run in \(request.service)")
            }
        }
    }

    package func capture(
        _ deployment: DeploymentModel, _ request: ExecRequest, input: [UInt8]
    ) async throws(DeploymentError) -> CommandOutput {
        let found = try await command(for: request, of: deployment)
        var command = found.command
        if request.interactive { command.input = input }
        return try await presence(of: found.pod, in: deployment).whileThere { [command] in
            do throws(CommandFailure) {
                return try await command.result()
            } catch {
                throw DeploymentError(kubectl: error, "the command could not be run in \(request.service)")
            }
        }
    }

    package func copy(
        _ deployment: DeploymentModel, _ request: CopyRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int {
        let workload = try deployment.workload(named: request.service)
        try await refuseAbsentSource(deployment, request)
        let (request, directory) = try request.withoutColon()
        var command = try await withSession(deployment) { session async throws(DeploymentError) in
            let target = try await session.target(workload, request.target)
            let words = request.words(container: target.pod)
            return session.kubectl.copy(container: target.container, from: words.source, to: words.target)
        }
        command.workingDirectory = directory
        do {
            return try await command.run(on: streams.withoutInput)
        } catch {
            throw DeploymentError(kubectl: error, "nothing could be copied")
        }
    }

    package func forward(
        _ deployment: DeploymentModel, _ request: ForwardRequest,
        events: @escaping @Sendable (ForwardEvent) async -> Void
    ) async throws(DeploymentError) -> Int {
        let workload = try deployment.workload(named: request.service)
        let command = try await withSession(deployment) { session async throws(DeploymentError) in
            let target = try await session.target(workload, ExecRequest(service: request.service, command: []))
            return session.kubectl.portForward(
                target: "pod/\(target.pod)", hostPort: request.hostPort, port: request.port)
        }
        do {
            return try await command.lines { _, line in
                let place = Kubectl.listening(line)
                await events(place.map { .listening(address: $0.address, port: $0.port) } ?? .message(line))
            }
        } catch {
            throw DeploymentError(kubectl: error, "the port could not be forwarded")
        }
    }

    private func command(
        for request: ExecRequest, of deployment: DeploymentModel
    ) async throws(DeploymentError) -> (pod: String, command: Command) {
        let workload = try deployment.workload(named: request.service)
        try request.refuseNamesAlone()
        if let user = request.user {
            throw DeploymentError(
                .unsupported, "kubectl cannot run a command as \(user): a container's processes have its own user",
                hint: "leave --user out, or switch inside: so deployment exec \(request.service) su \(user) -c …")
        }
        return try await withSession(deployment) { session async throws(DeploymentError) in
            let target = try await session.target(workload, request)
            let command = session.kubectl.exec(
                pod: target.pod, container: target.container, command: request.commandInDirectory(),
                interactive: request.interactive, tty: request.tty)
            return (target.pod, command)
        }
    }
}

extension CopyRequest {
    /// kubectl takes every path with a colon for one in a pod: it is run in the directory instead, which is returned too.
    fileprivate func withoutColon() throws(DeploymentError) -> (request: CopyRequest, directory: String?) {
        guard path.contains(":") else { return (self, nil) }
        let here = Files.absolute(path)
        var result = self
        result.path = "./" + lastPathComponent(here)
        guard !result.path.contains(":") else {
            throw DeploymentError(
                .unsupported, "kubectl cannot copy \(path): its name holds a colon", hint: "give it another name first")
        }
        return (result, Files.parent(of: here))
    }
}

extension DeploymentError {
    /// A kubectl that could not be run, or was ended.
    init(kubectl failure: CommandFailure, _ message: String) {
        switch failure.code {
        case .cancelled: self.init(.cancelled, "cancelled")
        case .programMissing:
            self.init(
                .unavailable, "\(message): kubectl is not installed",
                hint: "see https://kubernetes.io/docs/tasks/tools/")
        default: self.init(.unavailable, message, cause: failure.description)
        }
    }
}

extension ExecRequest {
    /// A name alone has the value that the operator's environment has.
    static func assigned(_ variable: String, _ environment: [String: String]) -> String {
        variable.contains("=") ? variable : variable + "=" + (environment[variable] ?? "")
    }

    /// kubectl knows no working directory: a shell changes into it, and gives its place to the command.
    fileprivate func commandInDirectory() -> [String] {
        let command = (environment.isEmpty ? [] : ["env"] + environment) + command
        guard let workingDirectory else { return command }
        return ["/bin/sh", "-c", "cd \"$0\" && exec \"$@\"", workingDirectory] + command
    }
}

extension ClusterSession {
    var kubectl: Kubectl {
        Kubectl(access: client.access.kubectlArguments, namespace: namespace, host: client.access.environment)
    }

    /// The pod and the container that a request means.
    func target(
        _ workload: Workload, _ request: ExecRequest
    ) async throws(DeploymentError) -> (pod: String, container: String) {
        let labels = "\(Keys.instance)=\(model.id),\(Keys.name)=\(workload.name)"
        let pods = try await call { () async throws(KubernetesError) in
            try await client.list(.pods, Selection(namespace: namespace, labels: labels)).items
        }.filter { $0.podPhase == "Running" && !$0.isTerminating }.sorted { $0.name < $1.name }
        guard request.replica >= 1, request.replica <= pods.count else {
            throw DeploymentError(
                .failed,
                pods.isEmpty
                    ? "\(request.service) is not running" : "\(request.service) has no replica \(request.replica)",
                hint: pods.isEmpty ? "so deployment start" : "it has \(pods.count)")
        }
        let pod = pods[request.replica - 1]
        let names = pod.specContainers.compactMap { $0["name"]?.text }
        let wanted = request.container ?? Names.label(request.service)
        let container = names.first { $0 == wanted } ?? (request.container == nil ? names.first : nil)
        guard let container else {
            throw DeploymentError(
                .missing, "\(pod.name) has no container \(wanted)",
                hint: "its containers are \(names.joined(separator: ", "))")
        }
        return (pod.name, container)
    }
}
