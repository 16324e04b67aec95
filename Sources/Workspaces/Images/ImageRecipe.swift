package import OrderedCollections

/// How the image of a workspace is built: everything that goes into it, and nothing that does not.
package struct ImageRecipe: Hashable, Sendable {
    package var containerfile: String
    package var buildArguments: OrderedDictionary<String, String>
    /// By path in the build's context.
    package var contextFiles: OrderedDictionary<String, ContextFile>
    /// The stage of the Containerfile to build; nil: the last.
    package var target: String?
    /// `localhost/so-workspace:<24 hex of the digest of all of the above>`.
    package var tag: String
    /// What went in, in words, for `image ls`.
    package var labels: OrderedDictionary<String, String>
}

/// A file of a build's context.
package enum ContextFile: Hashable, Sendable {
    case bytes([UInt8], mode: UInt32)
    /// An absolute path of a regular file on the host; its content counts, not its name.
    case file(String)
}

/// What an agent's declaration adds to an image: its last layer, above everything that changes less often.
package struct AgentLayer: Hashable, Sendable {
    package var agent: String
    /// Packages of the distribution that it needs.
    package var packages: [String]
    /// Instructions of a Containerfile, run as root.
    package var instructions: [String]
    /// Files that the instructions copy, by path in the context.
    package var contextFiles: OrderedDictionary<String, ContextFile>

    package init(
        agent: String, packages: [String] = [], instructions: [String] = [],
        contextFiles: OrderedDictionary<String, ContextFile> = [:]
    ) {
        self.agent = agent
        self.packages = packages
        self.instructions = instructions
        self.contextFiles = contextFiles
    }
}
