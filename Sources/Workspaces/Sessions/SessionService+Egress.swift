import Deployments
package import Egress
import ExternalTools
import FoundationEssentials
import Runtimes

extension SessionService {
    /// What a session's agent has asked for and spent: now where its egress runs, else what it was when it was last asked; nil where the session has none.
    package func egress(_ record: SessionRecord) async throws -> EgressStatus? {
        guard record.state != .closed, let status = try await runningEgress(record) else { return record.egress }
        return status
    }

    private func runningEgress(_ record: SessionRecord) async throws -> EgressStatus? {
        let deployment = try deployment(record)
        let isUp = try await deployment.status().contains {
            $0.service == StackPart.egressService && $0.state == .running
        }
        guard isUp else { return nil }
        let pod = WorkspacePod(deployment, service: StackPart.egressService)
        let output = try await pod.capture(["/so-egress", "status"], limit: 1 << 20)
        guard output.status == 0 else {
            throw WorkspaceError(
                .failed, "the egress of session \(record.id) does not report its requests",
                cause: output.standardError,
                hint: "so session logs --pod egress")
        }
        return try JSONDecoder().decode(EgressStatus.self, from: Data(output.standardOutput))
    }

    /// What a session's egress finds around it.
    func surroundings(_ record: SessionRecord) async throws -> EgressSurroundings {
        let pod = WorkspacePod(try deployment(record), service: StackPart.egressService)
        let output = try await pod.capture(["/so-egress", "surroundings", StackPart.egressService], limit: 1 << 20)
        guard output.status == 0 else {
            throw WorkspaceError(
                .failed, "the egress of session \(record.id) does not know its own address",
                cause: output.standardError, hint: "does the cluster's DNS answer?")
        }
        return try JSONDecoder().decode(EgressSurroundings.self, from: Data(output.standardOutput))
    }

    /// Keeps what the egress has seen, as long as it is there to tell.
    func keepEgress(_ record: inout SessionRecord) async {
        do {
            record.egress = try await egress(record)
        } catch {
            record.problems.append("what the session has spent is not known: \(error)")
        }
    }
}
