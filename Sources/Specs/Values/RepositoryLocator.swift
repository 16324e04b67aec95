/// A repository as `stack.yml` or a user names it: `[https://|git@]host/org/repo[@ref]`, `org/repo` meaning github.com, or a path of this
/// host.
package struct RepositoryLocator: Hashable, Sendable, CustomStringConvertible {
    /// How the repository is reached.
    package enum Transport: Hashable, Sendable {
        case https
        /// Only where it was written so.
        case http
        case ssh(user: String)
        /// An absolute path of this host, as it was written.
        case file(String)
    }

    /// Lower case, without user; with a port if one was written. `localhost` for a path of this host.
    package var host: String
    /// `org/repo`, without `.git`.
    package var path: String
    /// A branch, tag or commit; may contain `/`.
    package var reference: String?
    package var transport = Transport.https

    package init(host: String, path: String, reference: String? = nil) {
        self.host = host
        self.path = path
        self.reference = reference
    }

    /// The last part of the path.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Where a clone stands below the repositories' base directory: `host/org/repo`.
    package var directory: String { "\(host)/\(path)" }

    /// The repository without its reference, as a user would write it.
    package var repository: String { if case .file(let path) = transport { path } else { directory } }

    package var description: String { reference.map { "\(repository)@\($0)" } ?? repository }

    /// Whether the repository is read from this host's disk.
    package var isLocal: Bool { if case .file = transport { true } else { false } }

    /// What git is given.
    ///
    /// - Parameter prefersSSH: `git@host:` instead of https, so that the ssh agent's keys are used.
    package func url(prefersSSH: Bool = false) -> String {
        switch transport {
        case .file(let path): path
        case .ssh(let user): sshURL(user: user)
        case .https: prefersSSH ? sshURL(user: "git") : "https://\(host)/\(path)"
        case .http: prefersSSH ? sshURL(user: "git") : "http://\(host)/\(path)"
        }
    }

    /// A port can only be said in the long form.
    private func sshURL(user: String) -> String {
        host.contains(":") ? "ssh://\(user)@\(host)/\(path)" : "\(user)@\(host):\(path)"
    }
}

extension RepositoryLocator {
    /// Reads `[https://|http://|ssh://user@|git@]host/org/repo[.git][@ref]`, `git@host:org/repo`, `org/repo`, an absolute path or a `file://`
    /// URL; nil for anything else, such as a part that leads out of the base directory or a reference that git would take for an option.
    package init?(_ text: String) {
        if text.hasPrefix("/") || text.hasPrefix("file://") {
            self.init(local: text)
            return
        }
        var (rest, isFull, transport) = Self.withoutScheme(text)
        var reference: String?
        if let at = rest.firstIndex(of: "@") {
            reference = String(rest[rest.index(after: at)...])
            guard reference.map(isGitReference) ?? true else { return nil }
            rest = rest[..<at]
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count == 2, !isFull { parts.insert("github.com", at: 0) }
        isFull = true
        if let last = parts.last, last.hasSuffix(".git") { parts[parts.count - 1] = String(last.dropLast(4)) }
        guard parts.count >= 3, Self.isHost(parts[0]), parts.dropFirst().allSatisfy(isName) else { return nil }
        if case .ssh(let user) = transport, !isName(user) { return nil }
        self.init(host: parts[0].lowercased(), path: parts.dropFirst().joined(separator: "/"), reference: reference)
        self.transport = transport
    }

    /// The text behind the scheme and user, with `/` after the host; whether it must begin with a host; and how it is reached.
    private static func withoutScheme(_ text: String) -> (Substring, Bool, Transport) {
        if text.hasPrefix("https://") { return (text.dropFirst(8), true, .https) }
        if text.hasPrefix("http://") { return (text.dropFirst(7), true, .http) }
        if text.hasPrefix("ssh://") {
            let rest = text.dropFirst(6)
            let user = rest.prefix { $0 != "@" && $0 != "/" }
            guard rest[user.endIndex...].hasPrefix("@") else { return (rest, true, .ssh(user: "git")) }
            return (rest[rest.index(after: user.endIndex)...], true, .ssh(user: String(user)))
        }
        guard text.hasPrefix("git@") else { return (text[...], false, .https) }
        let rest = String(text.dropFirst(4))
        let ssh = Transport.ssh(user: "git")
        guard let colon = rest.firstIndex(of: ":") else { return (rest[...], true, ssh) }
        return ((rest[..<colon] + "/" + rest[rest.index(after: colon)...])[...], true, ssh)
    }

    private static func isHost(_ text: String) -> Bool {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard let name = parts.first, parts.count <= 2, isName(String(name)) else { return false }
        return parts.count == 1 || UInt16(parts[1]) != nil
    }
}

extension RepositoryLocator {
    /// An absolute path of this host, or a `file://` URL, with `@ref` behind it.
    private init?(local text: String) {
        var path = text.hasPrefix("file://") ? String(text.dropFirst(7)) : text
        if path.hasPrefix("localhost/") { path = String(path.dropFirst(9)) }
        guard path.hasPrefix("/") else { return nil }
        var reference: String?
        if let at = path.lastIndex(of: "@"), path[..<at].last != "/" {
            reference = String(path[path.index(after: at)...])
            path = String(path[..<at])
        }
        self.init(localPath: path, reference: reference)
    }

    /// A repository on this host's disk.
    ///
    /// - Parameter path: absolute. Nil for one with `..` or control characters in it, or with a reference that is none.
    package init?(localPath path: String, reference: String? = nil) {
        guard reference.map(isGitReference) ?? true, path.hasPrefix("/"),
            !path.unicodeScalars.contains(where: { $0.value < 32 })
        else { return nil }
        var parts = path.split(separator: "/").map(String.init).filter { $0 != "." }
        guard let last = parts.last, !parts.contains("..") else { return nil }
        let clean = "/" + parts.joined(separator: "/")
        if last == ".git" {
            parts.removeLast()
        } else if last.hasSuffix(".git") {
            parts[parts.count - 1] = String(last.dropLast(4))
        }
        guard !parts.isEmpty else { return nil }
        self.init(host: "localhost", path: parts.map(Self.safeName).joined(separator: "/"), reference: reference)
        transport = .file(clean)
    }

    /// A directory's name below the base directory: nothing hidden, nothing that a shell or git would take for more than a name.
    private static func safeName(_ part: String) -> String {
        let letters = part.utf8.map { isAlphanumeric($0) || "._-".utf8.contains($0) ? $0 : UInt8(ascii: "_") }
        let text = String(decoding: letters, as: UTF8.self)
        return isName(text)
            ? text : "_" + String(text.drop { !$0.isLetter && !$0.isNumber }.prefix(100)).replacing("..", with: "_")
    }
}

/// Whether git takes the text for a branch, tag or commit: https://git-scm.com/docs/git-check-ref-format
package func isGitReference(_ text: String) -> Bool {
    let forbidden = " ~^:?*[\\\u{7F}"
    return !text.isEmpty && !text.hasPrefix("-") && !text.hasPrefix("/") && !text.hasSuffix("/")
        && !text.hasSuffix(".")
        && !text.hasSuffix(".lock") && !text.contains("..") && !text.contains("//") && !text.contains("@{")
        && !text.unicodeScalars.contains { $0.value < 32 || forbidden.unicodeScalars.contains($0) }
}
