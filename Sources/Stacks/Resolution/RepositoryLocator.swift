/// A repository as `stack.yml` names it: `[https://|git@]host/org/repo[@ref]`, `org/repo` meaning github.com.
package struct RepositoryLocator: Hashable, Sendable, CustomStringConvertible {
    /// Lower case, without user; with a port if one was written.
    package var host: String
    /// `org/repo`, without `.git`.
    package var path: String
    /// A branch, tag or commit; may contain `/`.
    package var reference: String?

    package init(host: String, path: String, reference: String? = nil) {
        self.host = host
        self.path = path
        self.reference = reference
    }

    /// The last part of the path.
    package var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Where a clone stands below the repositories' base directory: `host/org/repo`.
    package var directory: String { "\(host)/\(path)" }

    package var description: String { reference.map { "\(directory)@\($0)" } ?? directory }
}
