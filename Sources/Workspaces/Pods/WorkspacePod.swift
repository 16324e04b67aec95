package import Deployments
package import ExternalTools
package import Runtimes

/// The agent's pod of a workspace or session, as a place to run programs in.
package struct WorkspacePod: PodShell {
    package let deployment: OpenDeployment
    package let service: String

    package init(_ deployment: OpenDeployment, service: String = StackPart.agentService) {
        self.deployment = deployment
        self.service = service
    }

    package func stream(
        _ command: [String], input: [UInt8],
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(WorkspaceError) -> Int {
        let (words, feed) = AsyncStream.makeStream(of: [UInt8].self)
        feed.yield(input)
        feed.finish()
        let streams = CommandStreams(input: words) { stream, bytes in try await body(stream, bytes) }
        do {
            return try await deployment.exec(request(command), on: streams)
        } catch {
            var told = WorkspaceError(error, "a command in the agent's pod failed")
            if error.code == .failed, told.hint == nil {
                told.hint = "start it with so session resume or so workspace up"
            }
            throw told
        }
    }

    /// Says that whatever has brought the pod up has ended: see `PodWatch`. Nothing else hangs on it.
    func tellUp() async {
        _ = try? await capture(
            ["touch", PodWatch.upMark], limit: 4096, silence: .seconds(60),
            what: "word that the pod knows that it is up")
    }

    /// The words as they stand: `ExecRequest` takes a single one with blanks for a line of the shell.
    private func request(_ command: [String]) -> ExecRequest {
        var request = ExecRequest(service: service, command: [])
        request.command = command
        return request
    }
}

extension WorkspaceError {
    /// What a deployment refused or could not do.
    package init(_ error: DeploymentError, _ message: String) {
        let code: Code =
            switch error.code {
            case .failed: .failed
            case .unsupported: .invalid
            case .missing: .missing
            case .unavailable: .unavailable
            case .cannotCreate: .cannotCreate
            case .notPermitted: .notPermitted
            case .cancelled: .cancelled
            }
        var own = error
        own.hint = nil
        self.init(code, message, cause: own.description, hint: error.hint)
    }
}
