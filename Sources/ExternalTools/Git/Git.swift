/// The few questions that are put to git.
package struct Git: Sendable {
    package init() {}

    /// The argument lists, so that they can be tested without git.
    package enum Arguments {
        package static func head(_ directory: String) -> [String] { ["-C", directory, "rev-parse", "HEAD"] }
        package static func remoteURL(_ directory: String) -> [String] {
            ["-C", directory, "config", "--get", "remote.origin.url"]
        }
    }

    /// The commit that a work tree is at; nil outside a work tree or before its first commit.
    package func head(_ directory: String) async throws(CommandFailure) -> String? {
        try await answer(Arguments.head(directory))
    }

    /// The URL of `origin`, without the credentials that it may hold; nil where there is none.
    package func remoteURL(_ directory: String) async throws(CommandFailure) -> String? {
        try await answer(Arguments.remoteURL(directory)).map(withoutCredentials)
    }

    private func answer(_ arguments: [String]) async throws(CommandFailure) -> String? {
        let command = Command("git", arguments, environment: ["GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"])
        let output = try await command.result()
        return output.status == 0 && !output.text.isEmpty ? output.text : nil
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
