import FoundationEssentials

/// Starts git so that it never waits for an answer, and reads what it says.
///
/// Credential helpers, `.netrc`, askpass programs and the ssh agent are the user's own and are used; what would ask on a terminal
/// fails instead, because it would ask behind a progress display, or where nobody sits.
package struct Git: Sendable {
    /// The operator's environment, which git inherits.
    package let host: [String: String]
    /// Added to the environment of every git that is started.
    package var environment: [String: String]
    /// Whether repositories on this host's disk may be read by submodules too; git itself refuses them since CVE-2022-39253.
    package var allowsLocalSubmodules = false

    /// - Parameter inherited: the operator's environment; an ssh command in it is used as it is.
    package init(inherited: [String: String]) {
        host = inherited
        environment = ["GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"]
        // The configuration's core.sshCommand would be overruled by the variable: it is asked for at the first use of ssh.
        hasOwnSSH = ["GIT_SSH_COMMAND", "GIT_SSH"].contains { inherited[$0].map { !$0.isEmpty } ?? false }
    }

    let hasOwnSSH: Bool

    /// What points git at another repository than the named one: set where `so` is started by a git hook.
    private static let repositoryVariables: Set<String> = [
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
        "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_PREFIX", "GIT_CONFIG",
    ]

    /// One invocation, detached from the terminal.
    package func command(_ arguments: [String], cancellation: Command.Cancellation = .terminate) -> Command {
        let protocols =
            ["-c", "protocol.ext.allow=never"] + (allowsLocalSubmodules ? ["-c", "protocol.file.allow=always"] : [])
        var command = Command(
            "git", protocols + arguments, host: host, environment: environment, cancellation: cancellation)
        command.withheld = Self.repositoryVariables
        command.isDetached = true
        return command
    }

    /// What git prints; nil where it says no, or nothing.
    package func answer(_ arguments: [String]) async throws(CommandFailure) -> String? {
        let output = try await command(arguments).result()
        return output.status == 0 && !output.text.isEmpty ? output.text : nil
    }

    /// Runs what changes something: a cancelled task lets it finish, so that no work tree stays half changed.
    @discardableResult
    package func change(_ arguments: [String]) async throws(CommandFailure) -> CommandOutput {
        try await command(arguments, cancellation: .finish).run()
    }
}

/// A URL without its user information: `https://user:token@host/x` is `https://host/x`; `git@host:x` stays.
package func withoutCredentials(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { $0 != "/" }
    guard let at = authority.lastIndex(of: "@") else { return url }
    let user = authority[..<at]
    if url.hasPrefix("ssh://"), !user.contains(":") { return url }
    return String(url[..<scheme.upperBound] + rest[rest.index(after: at)...])
}

/// A message of git without the user information of the URLs in it.
package func textWithoutCredentials(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let scheme = rest.firstRange(of: "://") {
        result += rest[..<scheme.upperBound]
        rest = rest[scheme.upperBound...]
        let authority = rest.prefix { !" /'\"\n".contains($0) }
        if let at = authority.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
    }
    return result + rest
}
