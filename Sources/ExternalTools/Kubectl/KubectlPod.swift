/// What kubectl does with one container of a pod that it is told of.
package struct KubectlPod: Hashable, Sendable {
    package var kubectl: Kubectl
    package var pod: String
    package var container: String

    package init(_ kubectl: Kubectl, pod: String, container: String) {
        self.kubectl = kubectl
        self.pod = pod
        self.container = container
    }

    /// `kubectl attach`: its input, and with a terminal its output too.
    package func attach(tty: Bool) -> Command {
        kubectl.command(["attach", pod, "--container", container, "--stdin"] + (tty ? ["--tty"] : []))
    }

    /// Writes what the container writes, from its beginning to its end.
    package var log: Command { kubectl.command(["logs", "--follow", pod, "--container", container]) }

    /// Prints `pod/NAME`.
    package var name: Command { kubectl.command(["get", "pod", pod, "--output", "name"]) }

    package var delete: Command {
        kubectl.command(
            ["delete", "pod", pod, "--ignore-not-found", "--wait=false", "--grace-period", "0", "--force"],
            cancellation: .finish)
    }
}

extension Command {
    /// The program with its standard input alone: what it writes goes nowhere.
    package var withoutOutput: Command {
        var result = self
        result.program = "/bin/sh"
        result.arguments = ["-c", "exec \"$0\" \"$@\" >/dev/null 2>&1", program] + arguments
        return result
    }
}
