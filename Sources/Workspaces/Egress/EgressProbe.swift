package import Egress

/// Shows that the agent's pod has no way out but its egress. A probe that finds nothing proves something only where its twin finds it:
/// the same places from the egress pod.
package struct EgressProbe: Hashable, Sendable {
    /// Run in the agent's pod; must end with 0: no target answers, not even by refusing.
    package var inAgent: [String]
    /// Run in the egress pod; must end with 0: each target answers.
    package var inEgress: [String]

    /// - Parameters:
    ///   - program: where `so-egress` is in the agent's pod.
    ///   - outside: the egress pod's addresses in the network `outside`, where its canary listens.
    ///   - egress: the egress pod's address for the agent's, which its name server gives for what is allowed.
    ///   - gateways: the host's addresses in the pod's networks.
    ///   - api: the Kubernetes API as `address:port`; nil where there is none.
    package init(program: String, egress: String, outside: [String], gateways: [String], api: String? = nil) {
        let canaries = outside.map { "\($0):8079" }
        // What clouds tell every machine, a public address, and a name that is nowhere in the allow list.
        let places = ["169.254.169.254:80", "1.1.1.1:443", "dns:\(probedName)=\(egress)"] + (api.map { [$0] } ?? [])
        let host = gateways.flatMap { ["\($0):22", "\($0):53", "dns:\(probedName)@\($0)"] }
        inAgent = [program, "probe", "closed"] + canaries + places + host
        inEgress = ["/so-egress", "probe", "open"] + canaries
    }

    /// - Parameters:
    ///   - program: where `so-egress` is in the agent's pod.
    ///   - surroundings: what answers the egress, and must not answer the agent.
    package init(program: String, surroundings: EgressSurroundings) {
        let servers = surroundings.nameServers.map { "dns:\(probedName)@\($0)" }
        let name = surroundings.address.isEmpty ? "dns:\(probedName)" : "dns:\(probedName)=\(surroundings.address)"
        inAgent =
            [program, "probe", "closed"] + surroundings.answering
            + ["169.254.169.254:80", "1.1.1.1:443", name] + servers
        inEgress = ["/so-egress", "probe", "open"] + surroundings.answering
    }

    /// Run in the agent's pod before anything else: waits for the egress, then does what ``inAgent`` does.
    package func gate(egress: String) -> [String] { [inAgent[0], "gate", egress] + inAgent.dropFirst(3) }

    /// What a probe that failed means.
    ///
    /// - Parameters:
    ///   - output: what the probe printed in the agent's pod.
    ///   - twin: the exit code of the one in the egress pod.
    package func judge(status: Int, output: String, twin: Int) throws(WorkspaceError) {
        guard twin == 0 else {
            throw WorkspaceError(
                .failed, "the egress pod does not reach its own canary, so that nothing is known of the agent's pod",
                hint: "so session logs --pod egress")
        }
        guard status != 0 else { return }
        let open = output.split(separator: "\n").filter { !$0.hasPrefix("closed ") }.map {
            $0.split(separator: " ").last ?? ""
        }
        throw WorkspaceError(
            .notPermitted, "the agent's pod reaches \(open.joined(separator: ", ")) beside its egress",
            hint: "this runtime holds no pod back; where you accept that: egress: {deny-all: false}")
    }
}
