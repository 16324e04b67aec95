package import Deployments
import Glibc

extension WorkspaceContext {
    /// What keeps sessions of this host from running on a cluster, and the fix; nil where nothing does, and on podman. Asks no cluster.
    package func problem(of runtime: SessionRuntime) -> HostCheck? {
        guard !runtime.mountsHost else { return nil }
        let name = "sessions: \(runtime.name)"
        guard find("kubectl") != nil else {
            return HostCheck(
                name, .warning, "kubectl is not installed: no session runs",
                hint: "https://kubernetes.io/docs/tasks/tools/")
        }
        if let file = runtime.kubeconfig, access(file, R_OK) != 0 {
            return HostCheck(name, .warning, "\(file) cannot be read", hint: "correct `kube-config`")
        }
        guard !runtime.needsRegistry || runtime.imageRegistry != nil else {
            return HostCheck(
                name, .warning, "no image-registry: nodes must have the images that are built here",
                hint: "set `image-registry` to HOST/PATH of a registry that this host pushes to and the nodes pull from"
            )
        }
        return nil
    }

    /// The path of a program.
    func find(_ program: String) -> String? {
        (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { "\($0)/\(program)" }
            .first { access($0, X_OK) == 0 }
    }
}
