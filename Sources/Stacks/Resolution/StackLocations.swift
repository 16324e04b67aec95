package import Specs

/// The directories in which stacks are looked for.
package struct StackLocations: Hashable, Sendable {
    /// Where relative paths start; absolute.
    package var workingDirectory: String
    /// The root of the built-in stacks; nil if no such data was found.
    package var builtInRoot: String?
    /// Where repositories are cloned, as host/org/repo; absolute.
    package var repositoryBase: String

    package init(workingDirectory: String, builtInRoot: String?, repositoryBase: String) {
        self.workingDirectory = workingDirectory
        self.builtInRoot = builtInRoot
        self.repositoryBase = repositoryBase
    }
}

/// A stack that can be named, as `list-stacks` shows it.
package struct ListedStack: Hashable, Sendable {
    package var name: String
    package var directory: String
    package var source: ResolvedStack.Source
    /// The description of stack.yml, if the file can be read.
    package var summary: String?

    package init(name: String, directory: String, source: ResolvedStack.Source, summary: String? = nil) {
        self.name = name
        self.directory = directory
        self.source = source
        self.summary = summary
    }
}
