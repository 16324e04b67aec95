/// A program that could not run, or that ran and failed.
package struct CommandFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is: what callers decide on.
    package enum Code: Hashable, Sendable {
        /// No such program in PATH.
        case programMissing
        /// The program exists, but the system would not start it, or its pipes broke.
        case notStarted
        /// It ended with this exit code; 128 + n for signal n.
        case exited(Int)
        /// It wrote more than the limit.
        case outputTooLong
        /// It wrote something that cannot be read.
        case unreadableOutput
        /// The task that ran it was cancelled.
        case cancelled
    }

    package var code: Code
    /// The command as a user can paste it; without secrets.
    package var command: String
    /// The end of what it wrote to standard error.
    package var standardError: String
    /// The system's reason, or the command or package that fixes it.
    package var cause: String?

    package init(_ code: Code, command: String, standardError: String = "", cause: String? = nil) {
        self.code = code
        self.command = command
        self.standardError = standardError
        self.cause = cause
    }

    /// What failed, why, and the command to try by hand.
    package var description: String {
        let lines = [reason, trimmed(standardError)].filter { !$0.isEmpty }
        return lines.joined(separator: ": ") + "\n  command: \(command)"
    }

    private var reason: String {
        let because = cause.map { ": \($0)" } ?? ""
        return switch code {
        case .programMissing: "the program is not installed\(because)"
        case .notStarted: "the program could not be started\(because)"
        case .exited(let status): "exit code \(status)\(because)"
        case .outputTooLong: "it wrote more than can be read\(because)"
        case .unreadableOutput: "its answer cannot be read\(because)"
        case .cancelled: "cancelled"
        }
    }
}

/// Which package gives a program, as the hint of a missing one.
package func installationHint(_ program: String) -> String {
    let packages = [
        "podman": "podman", "git": "git", "netavark": "netavark", "aardvark-dns": "aardvark-dns",
        "iptables": "iptables", "nft": "nftables", "runc": "runc", "crun": "crun", "conmon": "conmon",
        "newuidmap": "uidmap", "slirp4netns": "slirp4netns", "docker": "docker.io",
    ]
    switch program {
    case "kind": return "install kind: https://kind.sigs.k8s.io/docs/user/quick-start/#installation"
    case "kubectl": return "install kubectl: https://kubernetes.io/docs/tasks/tools/"
    default: return "apt-get install \(packages[program] ?? program)"
    }
}
