import ArgumentParser
import Compose
import Deployments
import ExternalTools
import Stacks
import YAML

/// What a verb such as `so ps` is about: the compose project, stack or deployment that one stands in, or one that is named.
struct PlaceOptions: ParsableArguments {
    @OptionGroup var project: ProjectOptions

    @Option(name: .customLong("dir"), help: "A deployment directory, instead of a project.")
    var directory: String?

    @Option(help: "A stack that `so deploy up` runs, instead of a project.")
    var stack: String?

    /// - Throws: `DeploymentError` (`missing`) where there is nothing.
    func find() throws -> (place: Workplace, tree: FileTree) {
        if let directory { return (.deployment(Files.absolute(directory)), .disk) }
        if let stack { return (.stack(try Host.resolver().resolve(stack).directory), .disk) }
        let (request, tree) = try project.request()
        if let place = findWorkplace(request, tree: tree) { return (place, tree) }
        if let deployment = Host.deployment { return (.deployment(deployment), .disk) }
        throw DeploymentError(
            .missing, "there is no compose file, stack or deployment in \(Host.workingDirectory), nor above it",
            hint: "go to where compose.yaml is, or name a file with -f, or a deployment with --dir")
    }

    /// The deployment that runs it; nil where it was never brought up.
    func deployment() throws -> DirectoryOption? {
        // As with docker compose, a name alone is enough for what runs.
        if project.files.isEmpty, let name = project.projectName {
            let place = Deployments.keptPlace(named: name, state: Host.stateDirectory)
            if place.exists { return DirectoryOption(place.directory) }
        }
        let (place, tree): (Workplace, FileTree)
        do {
            (place, tree) = try find()
        } catch let error as DeploymentError where error.code == .missing {
            // The compose file is gone; what it brought up is known by its directory.
            guard stack == nil, let recorded = try recorded(at: Host.workingDirectory) else { throw error }
            return recorded
        }
        switch place {
        case .deployment(let path): return DirectoryOption(path)
        case .stack(let path): return try DirectOption(stack: path).existingIfAny().map(DirectoryOption.init)
        case .project(let found):
            do {
                let place = try Self.keptPlace(of: OwnProject(found, options: Host.layerOptions(), tree: tree), found)
                return place.exists ? DirectoryOption(place.directory) : nil
            } catch let error as InvalidInput {
                guard let recorded = try recorded(at: found.directory) else { throw error }
                return recorded
            }
        }
    }

    /// What was brought up from a directory, by what was written down then.
    private func recorded(at directory: String) throws -> DirectoryOption? {
        let places = keptPlaces(near: directory, state: Host.stateDirectory)
        guard places.count > 1 else { return places.first.map { DirectoryOption($0.directory) } }
        throw DeploymentError(
            .missing, "which project? \(places.map(\.name).joined(separator: ", ")) were brought up from here",
            hint: "name one: so -p \(places[0].name) …")
    }

    /// The same.
    ///
    /// - Throws: `DeploymentError` (`missing`) where it was never brought up.
    func existing() throws -> DirectoryOption {
        guard let deployment = try deployment() else {
            throw DeploymentError(.missing, "nothing of it runs", hint: "so up")
        }
        return deployment
    }

    /// Where the deployment of a project is kept.
    static func keptPlace(of project: OwnProject, _ found: FoundProject) throws -> KeptPlace {
        try Deployments.keptPlace(
            project.layered.project.name, of: found.directory, isChosen: found.name != nil, state: Host.stateDirectory)
    }
}
