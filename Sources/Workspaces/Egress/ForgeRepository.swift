import Egress
import FoundationEssentials

/// A project's repository on its forge, by any of the forms of its address.
package struct ForgeRepository: Hashable, Sendable {
    package let host: String
    /// Without a slash before it and without `.git`.
    package let path: String
    /// The address as the project has it.
    package let remote: String

    /// Reads `https://host/path`, `ssh://git@host/path` and `git@host:path`; nil for what is not a repository of another host.
    package init?(_ remote: String) {
        self.remote = remote
        var rest = remote[...]
        if let scheme = ["https://", "ssh://"].first(where: { remote.hasPrefix($0) }) {
            rest = rest.dropFirst(scheme.count)
            guard let slash = rest.firstIndex(of: "/") else { return nil }
            // A port of ssh or of a server of one's own has no https twin that is known.
            guard !rest[..<slash].contains(":") else { return nil }
            (host, path) = Self.parts(rest[..<slash], rest[rest.index(after: slash)...])
        } else {
            guard let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains("/"), rest.contains("@") else {
                return nil
            }
            (host, path) = Self.parts(rest[..<colon], rest[rest.index(after: colon)...])
        }
        guard let name = hostName(host), name.contains("."), IPAddress(name) == nil, !path.isEmpty,
            path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy(Self.isPlain)
        else { return nil }
    }

    private static func parts(_ host: Substring, _ path: Substring) -> (String, String) {
        let name = host.lastIndex(of: "@").map { host[host.index(after: $0)...] } ?? host
        var path = path
        while path.hasSuffix("/") { path.removeLast() }
        if path.hasSuffix(".git") { path = path.dropLast(4) }
        return (name.lowercased(), String(path))
    }

    private static func isPlain(_ part: Substring) -> Bool {
        !part.isEmpty && part != "." && part != ".."
            && part.utf8.allSatisfy { byte in
                UnicodeScalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
                    || "._-~".utf8.contains(byte)
            }
    }

    /// What the egress is told. The token that the forge's own command line takes reads and, where it may, pushes.
    func route(environment: [String: String], allowsPush: Bool) -> RepositoryRoute {
        RepositoryRoute(
            url: "https://\(host)/\(path).git", authorization: authorization(environment), allowsPush: allowsPush)
    }

    /// By https://cli.github.com/manual/gh_help_environment; a token is sent to the forge that it is named after, and to no other.
    private func authorization(_ environment: [String: String]) -> String? {
        let names = ["github.com": ["GH_TOKEN", "GITHUB_TOKEN"], "gitlab.com": ["GITLAB_TOKEN"]][host] ?? []
        guard let token = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return nil }
        let user = host == "gitlab.com" ? "oauth2" : "x-access-token"
        return "Basic " + Data("\(user):\(token)".utf8).base64EncodedString()
    }

    /// Leads the repository's address, as the project has it, to the egress: variables as git reads them.
    func gitEnvironment(egress: String, token: String) -> [String: String] {
        let own = "\(egress)/git/\(host)/\(path).git"
        return [
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "url.\(own).insteadOf", "GIT_CONFIG_VALUE_0": remote,
            "GIT_CONFIG_KEY_1": "http.\(egress)/git/.extraHeader",
            "GIT_CONFIG_VALUE_1": "Authorization: Bearer \(token)",
        ]
    }
}
