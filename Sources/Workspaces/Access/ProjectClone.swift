package import ExternalTools
import Runtimes
import YAML

/// A repository that is not on this host yet, and the directory that it is cloned into.
package struct ProjectClone: Hashable, Sendable {
    package let url: String
    /// Absolute.
    package let directory: String

    /// - Parameters:
    ///   - url: https, ssh, git, or a path of this host; everything else could run a program.
    ///   - name: of the directory; nil: the repository's.
    ///   - parent: absolute.
    package init(_ url: String, name: String? = nil, in parent: String) throws(WorkspaceError) {
        guard Self.isAllowed(url) else {
            throw WorkspaceError(
                .invalid, "invalid repository `\(printable(withoutCredentials(url)))`",
                hint: "give an https or ssh URL, git@host:path, or a directory of this host")
        }
        let own = name ?? Self.folder(url)
        guard !own.isEmpty, own != ".", own != "..", !own.contains("/"), !own.hasPrefix("-") else {
            throw WorkspaceError(
                .invalid, "invalid name `\(printable(own))`", hint: "give the new directory a plain name")
        }
        self.url = url
        directory = parent == "/" ? "/\(own)" : "\(parent)/\(own)"
    }

    private static func isAllowed(_ url: String) -> Bool {
        if url.hasPrefix("-") || url.isEmpty || url.contains("::") { return false }
        guard let scheme = url.firstRange(of: "://") else { return true }
        return ["https", "http", "ssh", "git", "file"].contains(String(url[..<scheme.lowerBound]))
    }

    private static func folder(_ url: String) -> String {
        let last = url.split { $0 == "/" || $0 == ":" }.last.map(String.init) ?? ""
        return last.hasSuffix(".git") ? String(last.dropLast(4)) : last
    }

    /// Clones the repository, or takes the clone of it that is there.
    ///
    /// - Parameters:
    ///   - git: with the operator's environment.
    ///   - authorities: a file of the certificate authorities that the server's must be of; nil: those that git trusts.
    /// - Throws: ``WorkspaceError``: `cannotCreate` where something else is in the way, `failed` where git fails; nothing is left then.
    package func make(
        with git: Git, authorities: String? = nil, progress: @escaping Git.ProgressHandler = { _ in }
    ) async throws {
        var git = git
        git.environment["GIT_SSL_CAINFO"] = authorities
        if Files.exists(directory) {
            let address = try await git.remoteURL(directory)
            guard address == withoutCredentials(url) else {
                throw WorkspaceError(
                    .cannotCreate, "\(directory) exists, and is not a clone of \(printable(withoutCredentials(url)))",
                    hint: "give another name, or go to \(directory)")
            }
            return
        }
        let aside = "\(directory).so-clone"
        try Files.remove(aside)
        do {
            try await git.clone(url, into: aside, progress: progress)
            try await git.change(GitArguments.checkoutHead(aside))
        } catch {
            try Files.remove(aside)
            throw WorkspaceError(error, "cannot clone \(printable(withoutCredentials(url)))")
        }
        try Files.rename(aside, to: directory)
    }
}
