package import Compose

/// What a verb such as `so ps` is about: something that is named, else what is in this directory.
package struct PlaceRequest: Sendable {
    /// A deployment directory, as the user has written its path.
    package var directory: String?
    /// A stack that runs without a spec.
    package var stack: String?
    package var project: ProjectRequest
    /// Where the files of ``project`` are read from.
    package var tree: FileTree

    package init(_ project: ProjectRequest, tree: FileTree) {
        self.project = project
        self.tree = tree
    }
}
