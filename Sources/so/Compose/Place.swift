import ArgumentParser
import Compose
import Deployments
import Runtimes

/// What a verb such as `so ps` is about: the compose project, stack or deployment that one stands in, or one that is named.
struct PlaceOptions: ParsableArguments {
    @OptionGroup var project: ProjectOptions

    @Option(name: .customLong("dir"), help: "A deployment directory, instead of a project.")
    var directory: String?

    @Option(help: "A stack that `so deploy up` runs, instead of a project.")
    var stack: String?

    /// - Throws: `DeploymentError` (`missing`) where there is nothing.
    func find() throws -> (place: Workplace, tree: FileTree) {
        let request = try request()
        return (try Host.deployments.find(request), request.tree)
    }

    /// The deployment that runs it; nil where it was never brought up.
    ///
    /// - Parameter services: those that are named, whose profiles become active.
    func deployment(naming services: [String] = []) throws -> DirectoryOption? {
        try Host.deployments.deployment(of: request(), services: services).map { DirectoryOption($0) }
    }

    /// The same.
    ///
    /// - Throws: `DeploymentError` (`missing`) where it was never brought up.
    func existing(naming services: [String] = []) throws -> DirectoryOption {
        guard let deployment = try deployment(naming: services) else {
            throw DeploymentError(.missing, "nothing of it runs", hint: "so up")
        }
        return deployment
    }

    private func request() throws -> PlaceRequest {
        let (found, tree) = try project.request()
        var request = PlaceRequest(found, tree: tree)
        request.directory = directory
        request.stack = stack
        return request
    }
}
