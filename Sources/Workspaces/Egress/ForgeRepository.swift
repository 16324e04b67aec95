import Egress
import FoundationEssentials

/// A project's repository on its forge, by any of the forms of its address.
package struct ForgeRepository: Hashable, Sendable {
    package let host: String
    /// Where its https answers; nil: at the ordinary port.
    package let port: Int?
    /// Without a slash before it and without `.git`.
    package let path: String
    /// The address as the project has it.
    package let remote: String

    /// Reads `https://host[:port]/path`, `ssh://git@host/path` and `git@host:path`; nil for what is not a repository of another host.
    package init?(_ remote: String) {
        self.remote = remote
        var rest = remote[...]
        if let scheme = ["https://", "ssh://"].first(where: { remote.hasPrefix($0) }) {
            rest = rest.dropFirst(scheme.count)
            guard let slash = rest.firstIndex(of: "/") else { return nil }
            var place = rest[..<slash]
            var port: Int?
            if let colon = place.lastIndex(of: ":"), !place[colon...].contains("@") {
                // A port of ssh has no https twin that is known.
                guard scheme == "https://", let number = Int(place[place.index(after: colon)...]),
                    (1...65535).contains(number)
                else { return nil }
                (place, port) = (place[..<colon], number == 443 ? nil : number)
            }
            self.port = port
            (host, path) = Self.parts(place, rest[rest.index(after: slash)...])
        } else {
            guard let colon = rest.firstIndex(of: ":"), !rest[..<colon].contains("/"), rest.contains("@") else {
                return nil
            }
            port = nil
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

    /// The host, with its port where that is not the ordinary one.
    var place: String { port.map { "\(host):\($0)" } ?? host }

    /// What the egress is told. The token that the forge's own command line takes reads and, where it may, pushes.
    func route(environment: [String: String], allowsPush: Bool) -> RepositoryRoute {
        RepositoryRoute(
            url: "https://\(place)/\(path).git", authorization: authorization(environment), allowsPush: allowsPush)
    }

    /// By https://cli.github.com/manual/gh_help_environment; a token is sent to the forge that it is named after, and to no other.
    private func authorization(_ environment: [String: String]) -> String? {
        guard port == nil else { return nil }
        let names = ["github.com": ["GH_TOKEN", "GITHUB_TOKEN"], "gitlab.com": ["GITLAB_TOKEN"]][host] ?? []
        guard let token = names.lazy.compactMap({ environment[$0] }).first(where: { !$0.isEmpty }) else { return nil }
        let user = host == "gitlab.com" ? "oauth2" : "x-access-token"
        return "Basic " + Data("\(user):\(token)".utf8).base64EncodedString()
    }

    /// Leads the repository's address, as the project has it, to the egress: variables as git reads them.
    func gitEnvironment(egress: String, token: String) -> [String: String] {
        let own = "\(egress)/git/\(place)/\(path).git"
        return [
            "GIT_CONFIG_COUNT": "2",
            "GIT_CONFIG_KEY_0": "url.\(own).insteadOf", "GIT_CONFIG_VALUE_0": remote,
            "GIT_CONFIG_KEY_1": "http.\(egress)/git/.extraHeader",
            "GIT_CONFIG_VALUE_1": "Authorization: Bearer \(token)",
        ]
    }
}
