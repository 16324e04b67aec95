package import OrderedCollections
import Runtimes

/// How the image of a workspace is built: everything that goes into it, and nothing that does not.
package struct ImageRecipe: Hashable, Sendable {
    package var containerfile: String
    package var buildArguments: OrderedDictionary<String, String> = [:]
    /// By path in the build's context.
    package var contextFiles: OrderedDictionary<String, ContextFile> = [:]
    /// The project's own image, which is built first, and which the Containerfile begins with.
    package var base: BaseBuild?
    /// What shows that the image has what was asked for; shell commands.
    package var checks: [String] = []
    /// `localhost/so-workspace:<24 hex of the digest of all of the above>`.
    package var tag: String
    /// What went in, in words, for `image ls`.
    package var labels: OrderedDictionary<String, String> = [:]

    /// The repository of every tag.
    package static let repository = "localhost/so-workspace"
}

/// A Containerfile of the project's.
package struct BaseBuild: Hashable, Sendable {
    /// Absolute; within the project.
    package var context: String
    /// Absolute.
    package var containerfile: String
    package var target: String?
    package var arguments: OrderedDictionary<String, String>
    package var tag: String
}
