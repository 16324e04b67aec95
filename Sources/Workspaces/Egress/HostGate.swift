import Deployments
import ExternalTools

/// Keeps a network's pods from the services of the host that they run on. An internal network has no way out, but its bridge still has an
/// address of the host's, on which everything answers that listens on all addresses.
///
/// Only where the bridge is the host's own (containers of root): the rule is the host's. Where pods share no bridge with the host there is
/// nothing to close, and the probe shows it.
package struct HostGate: Sendable {
    /// The bridge, such as `podman3`.
    package let interface: String

    package init(interface: String) { self.interface = interface }

    /// Refuses what comes from the network to the host itself. Once is enough; again changes nothing. A restart of the host's firewall forgets
    /// it: every `up` closes it again.
    package func close() async throws(WorkspaceError) {
        guard try await !isClosed() else { return }
        try await run("-I")
    }

    /// Takes the rule away, when the network goes.
    package func open() async throws(WorkspaceError) {
        while try await isClosed() { try await run("-D") }
    }

    package func isClosed() async throws(WorkspaceError) -> Bool {
        try await output(command("-C")).status == 0
    }

    /// iptables speaks to nftables too on hosts that have it so.
    func command(_ action: String) -> Command {
        let place = action == "-I" ? ["INPUT", "1"] : ["INPUT"]
        let rule = ["-i", interface, "-j", "REJECT", "--reject-with", "icmp-host-prohibited"]
        return Command("iptables", ["--wait", "10", action] + place + rule, cancellation: .finish)
    }

    private func run(_ action: String) async throws(WorkspaceError) {
        let result = try await output(command(action))
        guard result.status == 0 else {
            throw WorkspaceError(
                .notPermitted, "the host's services cannot be kept from the network \(interface)",
                cause: result.standardError, hint: "run so as root, or use podman without root")
        }
    }

    private func output(_ command: Command) async throws(WorkspaceError) -> CommandOutput {
        do {
            return try await command.result()
        } catch {
            throw WorkspaceError(
                .unavailable, "iptables does not run", cause: "\(error)", hint: "apt-get install iptables")
        }
    }
}
