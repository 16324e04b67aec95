package import ExternalTools

/// What runs the rendered objects. Every operation can be cancelled, prints nothing, and leaves a state from which the next one goes on.
///
/// The lock that keeps two operations on one deployment apart is the caller's: see `DeploymentDirectory`.
package protocol Runtime: Sendable {
    /// Brings the Ingresses alone up to the deployment, and returns when they are.
    func applyRoutes(_ deployment: DeploymentModel) async throws(DeploymentError)
    /// Decides what a start with these options does; changes nothing.
    func plan(_ deployment: DeploymentModel, options: StartOptions) async throws(DeploymentError) -> StartPlan
    /// Returns when everything that it removes is gone.
    func stop(
        _ deployment: DeploymentModel, options: StopOptions, events: @escaping EventHandler
    ) async throws(DeploymentError)
    /// What a stop that deletes volumes would delete besides the pods; changes nothing.
    func data(_ deployment: DeploymentModel) async throws(DeploymentError) -> [DeploymentData]
    /// The deployments that this keeper has something of here, whether or not anything else knows of them.
    func kept(by keeper: String) async throws(DeploymentError) -> [KeptDeployment]
    /// The secrets by name, without their values.
    func secrets(_ deployment: DeploymentModel) async throws(DeploymentError) -> [SecretListing]
    /// Gives a generated secret a new value; the next start rolls what uses it.
    func rotateSecret(_ deployment: DeploymentModel, name: String) async throws(DeploymentError)
    /// Gives generated secrets these values instead of random ones, all of them or none.
    ///
    /// - Parameter replaces: whether a value that exists already is replaced; otherwise it is an error, unless it is the same.
    /// - Returns: the names whose values were written.
    func importSecrets(
        _ deployment: DeploymentModel, _ values: [String: String], replaces: Bool
    ) async throws(DeploymentError) -> [String]
    /// How each pod stands, absent ones included. `probe` asks the health checks now.
    func status(_ deployment: DeploymentModel, probe: Bool) async throws(DeploymentError) -> [PodStatus]
    /// The containers of their own that a service's settings were run with, and that are there yet.
    func oneOffs(_ deployment: DeploymentModel) async throws(DeploymentError) -> [PodStatus]
    /// Hands out the lines of all services in order of time; with `follow` until the task is cancelled or nothing runs any more.
    func logs(
        _ deployment: DeploymentModel, _ request: LogRequest, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError)
    /// Runs a command on streams that the caller owns, and returns its exit code.
    func exec(
        _ deployment: DeploymentModel, _ request: ExecRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int
    /// The addresses of a running service's first replica, one for each network that it is in.
    func addresses(_ deployment: DeploymentModel, service: String) async throws(DeploymentError) -> [ServiceAddress]
    /// Calls the closure whenever the pods may stand otherwise than before, until the task is cancelled.
    func watch(_ deployment: DeploymentModel, changed: @escaping @Sendable () -> Void) async
    /// Makes all that a container of its own with a service's settings needs: secrets, images, networks. The caller holds the deployment's lock.
    func prepareRun(
        _ deployment: DeploymentModel, _ request: RunRequest, events: @escaping EventHandler
    ) async throws(DeploymentError) -> PreparedRun
    /// Runs a command in a running service with this input, and returns all that it printed.
    func capture(
        _ deployment: DeploymentModel, _ request: ExecRequest, input: [UInt8]
    ) async throws(DeploymentError) -> CommandOutput
    /// Copies files into a running service or out of it, and returns the exit code of the program that does it.
    func copy(
        _ deployment: DeploymentModel, _ request: CopyRequest, on streams: CommandStreams
    ) async throws(DeploymentError) -> Int
    /// Leads a port of this host's loopback to a port of a running service until the task is cancelled; returns the exit code of the program that
    /// does it, where that ends by itself.
    func forward(
        _ deployment: DeploymentModel, _ request: ForwardRequest,
        events: @escaping @Sendable (ForwardEvent) async -> Void
    ) async throws(DeploymentError) -> Int
    /// Runs a job of the stack again, waits for its end and returns its exit code.
    func runJob(
        _ deployment: DeploymentModel, job: String, events: @escaping EventHandler,
        line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) -> Int
}

extension Runtime {
    /// Decides what a start does, and does it.
    package func start(
        _ deployment: DeploymentModel, options: StartOptions, events: @escaping EventHandler
    ) async throws(DeploymentError) -> StartResult {
        try await plan(deployment, options: options).execute(events: events)
    }

    /// kubectl copies nothing of a path that does not exist, and calls that a success; podman speaks of the container's id.
    func refuseAbsentSource(_ deployment: DeploymentModel, _ request: CopyRequest) async throws(DeploymentError) {
        guard request.direction == .outOfService else {
            guard Files.exists(request.path) else {
                throw DeploymentError(.missing, "this host has no \(request.path)", hint: "correct the path")
            }
            return try await refuseAbsentTarget(deployment, request)
        }
        let directory = Files.parent(of: request.path)
        guard Files.isDirectory(directory) else {
            throw DeploymentError(
                .missing, "the directory \(directory) is not there", hint: "make it: mkdir -p \(shellQuoted(directory))"
            )
        }
        var question = request.target
        question.command = ["test", "-e", request.pathInService]
        guard try await capture(deployment, question, input: []).status == 1 else { return }
        throw DeploymentError(
            .missing, "\(request.service) has no \(request.pathInService)",
            hint: deployment.command("exec \(request.service) ls"))
    }
}

extension Runtime {
    private func refuseAbsentTarget(
        _ deployment: DeploymentModel, _ request: CopyRequest
    ) async throws(DeploymentError) {
        // From where others count is for the runtime to say.
        guard request.pathInService.hasPrefix("/") else { return }
        let directory = Files.parent(of: request.pathInService)
        var question = request.target
        question.command = ["test", "-d", request.pathInService, "-o", "-d", directory]
        guard try await capture(deployment, question, input: []).status == 1 else { return }
        throw DeploymentError(
            .missing, "\(request.service) has no directory \(directory)",
            hint: deployment.command("exec \(request.service) mkdir -p \(shellQuoted(directory))"))
    }
}

/// A container of its own that has all it needs, and runs once.
package struct PreparedRun: Sendable {
    /// Runs it on streams that the caller owns, and returns its exit code. It takes as long as its user likes, without the deployment's lock.
    package let execute: @Sendable (CommandStreams) async throws(DeploymentError) -> Int

    package init(_ execute: @escaping @Sendable (CommandStreams) async throws(DeploymentError) -> Int) {
        self.execute = execute
    }
}

/// Something that a stop with `--delete-volumes` deletes.
package enum DeploymentData: Hashable, Sendable, CustomStringConvertible {
    case volume(String)
    case directory(String)
    case secrets

    package var description: String {
        switch self {
        case .volume(let name): "volume   \(name)"
        case .directory(let path): "data     \(path)"
        case .secrets: "secrets  generated-secrets"
        }
    }
}
