/// The commands of kubectl that `so` leaves to it: those that need a terminal or a tunnel. Everything else goes to the API directly.
package enum Kubectl {
    /// `kubectl exec` in one container.
    ///
    /// - Parameter access: the options that choose the cluster: `--kubeconfig F --context C`.
    package static func exec(
        _ access: [String], namespace: String, pod: String, container: String, command: [String],
        interactive: Bool = false, tty: Bool = false
    ) -> Command {
        var arguments = access + ["--namespace", namespace, "exec", pod, "--container", container]
        // A command without input must not swallow that of the script around it.
        if interactive { arguments.append("--stdin") }
        if tty { arguments.append("--tty") }
        return Command("kubectl", arguments + ["--"] + command)
    }

    /// `kubectl cp` between this host and a container: `pod:path`.
    package static func copy(
        _ access: [String], namespace: String, container: String, from source: String, to target: String
    ) -> Command {
        Command("kubectl", access + ["--namespace", namespace, "cp", "--container", container, source, target])
    }

    /// `kubectl port-forward` of one port of a pod or Service to a port of this host; runs until it is ended.
    package static func portForward(
        _ access: [String], namespace: String, target: String, hostPort: Int, port: Int, address: String = "127.0.0.1"
    ) -> Command {
        Command(
            "kubectl",
            access + ["--namespace", namespace, "port-forward", "--address", address, target, "\(hostPort):\(port)"])
    }
}
