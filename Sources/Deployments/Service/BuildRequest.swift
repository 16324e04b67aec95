package import ExternalTools
package import Specs

/// Which images of stacks are built, and how; paths are as the user has written them.
package struct BuildRequest: Sendable {
    /// A path or name; nil: every stack.
    package var stack: String?
    package var filter = ImageFilter()
    package var engine: ImageEngine.Kind?
    /// The spec whose config and overrides the `build:` sections see.
    package var specFile: String?
    /// Whether every layer is built again.
    package var forceRebuild = false
    /// Arguments for the engine's build command.
    package var extraArguments: [String] = []
    /// Where what was built is pushed; nil: nowhere.
    package var registry: String?
    /// Whether build scripts are to trace what they do.
    package var isDebugging = false

    package init(stack: String?) { self.stack = stack }
}

/// What was built of one stack, or would be.
package struct StackBuild: Sendable {
    package struct Image: Hashable, Sendable {
        package var tag: String
        /// How it is built.
        package var command: Command
        /// Whether the engine has another image under the tag than before; nil where nothing was built.
        package var changed: Bool?
        package var published: PublishedImage?
    }

    package var stack: ResolvedStack
    /// The names of all images of the stack, those that were not chosen too.
    package var names: [String]
    /// Those that were chosen.
    package var images: [Image]
}
