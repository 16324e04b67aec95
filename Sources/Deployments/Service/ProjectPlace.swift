import Compose
import Runtimes
import Specs
import Stacks
import YAML

extension DeploymentService {
    /// - Throws: ``DeploymentError`` (`missing`) where there is nothing.
    package func find(_ request: PlaceRequest) throws -> Workplace {
        if let directory = request.directory { return .deployment(host.absolute(directory)) }
        if let stack = request.stack { return .stack(try host.resolver().resolve(stack).directory) }
        if let place = findWorkplace(request.project, tree: request.tree) { return place }
        let (here, environment) = (host.workingDirectory, host.environment)
        if let deployment = findDeployment(workingDirectory: here, environment: environment, tree: .disk) {
            return .deployment(deployment)
        }
        throw DeploymentError(
            .missing, "no compose file, stack or deployment in \(here), nor above it",
            hint: "go to where compose.yaml is, or name a file with -f, or a deployment with --dir")
    }

    /// The deployment that runs it, as it is asked for; nil where it was never brought up.
    ///
    /// - Parameter services: those that are named, whose profiles become active.
    package func deployment(
        of request: PlaceRequest, services: [String] = []
    ) throws -> DeploymentDirectory? {
        guard let path = try directory(of: request) else { return nil }
        var directory = try DeploymentDirectory.open(path)
        // Where it cannot be read, whoever reads it says so.
        directory.asked = try? AskedProject(request, services, in: directory, options: host.layerOptions)?.found
        return directory
    }

    private func directory(of request: PlaceRequest) throws -> String? {
        // As with docker compose, a name alone is enough for what runs.
        if request.project.files.isEmpty, let name = request.project.name {
            let place = keptPlace(named: name, state: host.stateDirectory)
            if place.exists { return place.directory }
        }
        let found: Workplace
        do {
            found = try find(request)
        } catch let error as DeploymentError where error.code == .missing {
            // The compose file is gone; what it brought up is known by its directory.
            guard request.stack == nil, let recorded = try recorded(at: host.workingDirectory) else { throw error }
            return recorded
        }
        switch found {
        case .deployment(let path): return path
        case .stack(let path):
            let place = try place(of: host.resolver().resolve(path), name: nil)
            return place.exists ? place.directory : nil
        case .project(let project): return try deployment(of: project, tree: request.tree)
        }
    }

    /// Where the deployment of a project is kept.
    func place(of project: OwnProject) throws -> KeptPlace {
        try keptPlace(
            project.layered.project.name, of: project.found.directory, isChosen: project.found.name != nil,
            state: host.stateDirectory)
    }

    private func deployment(of found: FoundProject, tree: FileTree) throws -> String? {
        do {
            let place = try place(of: OwnProject(found, options: host.layerOptions, tree: tree))
            return place.exists ? place.directory : nil
        } catch let error as InvalidInput {
            guard let recorded = try recorded(at: found.directory) else { throw error }
            return recorded
        }
    }

    /// What was brought up from a directory, by what was written down then.
    private func recorded(at directory: String) throws -> String? {
        let places = keptPlaces(near: directory, state: host.stateDirectory)
        guard places.count > 1 else { return places.first?.directory }
        throw DeploymentError(
            .missing, "which project? \(places.map(\.name).joined(separator: ", ")) were brought up from here",
            hint: "name one: so -p \(places[0].name) …")
    }
}
