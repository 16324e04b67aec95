import Deployments
import ExternalTools

extension OpenDeployment {
    /// Tells where the pod of `tools: [podman]` cannot run containers, and why; one that can is asked nothing else.
    func reportContainers(_ runtime: SessionRuntime, _ events: SessionEvents) async throws {
        guard runtime.mountsHost else {
            events(
                .note(
                    "`tools: [podman]`: \(runtime.name) lets no containers run inside pods\nhint: podman can: so settings set deploy-to podman"
                ))
            return
        }
        let probe = try await WorkspacePod(self).capture(["podman", "unshare", "true"], limit: 4096)
        guard probe.status != 0 else { return }
        let words = probe.standardError.split(whereSeparator: \.isNewline).last.map { ": \($0)" } ?? ""
        events(
            .note(
                "`tools: [podman]`: this host lets no containers run inside the pod\(words)\n"
                    + "hint: it must allow user namespaces: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1, "
                    + "kernel.apparmor_restrict_unprivileged_userns=0"))
    }
}
