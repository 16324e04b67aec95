package import Compose
import ExternalTools
package import Specs

extension RepositoryLocator {
    /// The repository that a user names; a path that exists is taken whole, `@` and all.
    ///
    /// - Parameters:
    ///   - workingDirectory: where a relative path starts; absolute.
    ///   - homeDirectory: what `~` stands for.
    /// - Throws: ``StackError`` (`refused`) for a text that names none.
    package static func written(
        _ text: String, workingDirectory: String, homeDirectory: String?, tree: FileTree
    ) throws(StackError) -> RepositoryLocator {
        let path = path(text, workingDirectory, homeDirectory)
        if let path, tree.kind(path) == .directory, let locator = RepositoryLocator(localPath: path) { return locator }
        if let locator = RepositoryLocator(path ?? text) { return locator }
        let hasUser = text.contains("://") && text.split(separator: "/").dropFirst().first?.contains("@") == true
        throw StackError(
            .refused, "'\(withoutCredentials(text))' is not a repository",
            hint: hasUser && !text.hasPrefix("ssh://")
                ? "credentials do not belong in a locator: git asks your credential helper"
                : "write [host/]org/repo[@ref], https://host/org/repo, git@host:org/repo, or a path such as ./repo")
    }

    /// The absolute path that a text says, if it says one.
    private static func path(_ text: String, _ workingDirectory: String, _ homeDirectory: String?) -> String? {
        if text.hasPrefix("~/"), let homeDirectory { return normalizedPath(homeDirectory + text.dropFirst()) }
        guard text == "." || text == ".." || text.hasPrefix("./") || text.hasPrefix("../") || text.hasPrefix("/") else {
            return nil
        }
        return absolutePath(text, in: workingDirectory)
    }
}
