/// The commands of kubectl that `so` leaves to it: those that need a terminal or a tunnel. Everything else goes to the API directly.
package struct Kubectl: Hashable, Sendable {
    /// The options that choose the cluster: `--kubeconfig F --context C`.
    package var access: [String]
    package var namespace: String
    /// The operator's environment, which kubectl inherits.
    package let host: [String: String]

    package init(access: [String], namespace: String, host: [String: String]) {
        self.access = access
        self.namespace = namespace
        self.host = host
    }

    func command(_ arguments: [String], cancellation: Command.Cancellation = .terminate) -> Command {
        Command(
            "kubectl", access + ["--namespace", namespace] + arguments, host: host, cancellation: cancellation)
    }

    /// `kubectl exec` in one container.
    package func exec(
        pod: String, container: String, command: [String], interactive: Bool = false, tty: Bool = false
    ) -> Command {
        var arguments = ["exec", pod, "--container", container]
        // A command without input must not swallow that of the script around it.
        if interactive { arguments.append("--stdin") }
        if tty { arguments.append("--tty") }
        return self.command(arguments + ["--"] + command)
    }

    /// `kubectl cp` between this host and a container: `pod:path`.
    package func copy(container: String, from source: String, to target: String) -> Command {
        command(["cp", "--container", container, source, target])
    }

    /// `kubectl port-forward` of one port of a pod or Service to a port of this host; runs until it is ended.
    package func portForward(target: String, hostPort: Int, port: Int, address: String = "127.0.0.1") -> Command {
        command(["port-forward", "--address", address, target, "\(hostPort):\(port)"])
    }

    /// Where `kubectl port-forward` listens, as one of its lines says it: `Forwarding from 127.0.0.1:8080 -> 80`. Nil: the line says something else.
    package static func listening(_ line: String) -> (address: String, port: Int)? {
        let words = line.split(separator: " ")
        guard words.count == 5, words.starts(with: ["Forwarding", "from"]), words[3] == "->",
            let colon = words[2].lastIndex(of: ":"), let port = Int(words[2][words[2].index(after: colon)...])
        else { return nil }
        return (String(words[2][..<colon].filter { $0 != "[" && $0 != "]" }), port)
    }
}
