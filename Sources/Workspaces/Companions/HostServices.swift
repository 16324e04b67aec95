import Deployments
import Egress
import ExternalTools

extension OpenDeployment {
    /// Looks whether the services of this host that a session or workspace is led to answer its egress, and says what to do about those that do not.
    func reportHostServices(_ services: [HostService], gateway: String?, _ events: SessionEvents) async throws {
        guard let gateway, !services.isEmpty else { return }
        let pod = WorkspacePod(self, service: StackPart.egressService)
        for service in services {
            let probe = try await pod.capture(
                ["/so-egress", "probe", "open", "\(gateway):\(service.port)"], limit: 4096)
            if probe.status != 0 { events(.note(Self.advice(service, gateway: gateway))) }
        }
    }

    private static func advice(_ service: HostService, gateway: String) -> String {
        switch dial("127.0.0.1", port: service.port, seconds: 1) {
        case .open:
            "\(service.name) of this host answers on 127.0.0.1:\(service.port) only, where no pod reaches it\n"
                + "hint: let it listen on all addresses, and its firewall pass what comes from 10.128.0.0/9"
        case .refused, .closed:
            "\(service.name) does not answer on port \(service.port) of this host (\(gateway) in the session)\n"
                + "hint: start it, or write `databases: [\(service.name)]` for one beside the agent"
        }
    }
}
