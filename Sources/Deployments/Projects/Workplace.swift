package import Compose

/// What a command is about that names nothing: where it was started decides.
package enum Workplace: Sendable {
    /// A deployment directory; absolute.
    case deployment(String)
    /// The directory of a stack.yml; absolute.
    case stack(String)
    case project(FoundProject)
}

/// Finds what the nearest directory upward is: a deployment, a stack or a compose project. A compose file that is named, by an option or by
/// COMPOSE_FILE, makes it that project.
///
/// - Returns: nil where nothing is found.
package func findWorkplace(_ request: ProjectRequest, tree: FileTree) -> Workplace? {
    let isNamed =
        !request.files.isEmpty || request.directory != nil || request.environment["COMPOSE_FILE"]?.isEmpty == false
    if !isNamed {
        for place in upward(from: request.workingDirectory) {
            if tree.kind("\(place)/deployment.yml") == .file { return .deployment(place) }
            if tree.kind("\(place)/stack.yml") == .file { return .stack(place) }
            if !discoverComposeFiles(place, tree: tree).isEmpty { break }
        }
    }
    return findProject(request, tree: tree).map { .project($0) }
}

/// The deployment directory that one stands in, or below; else the one that SO_DEPLOYMENT_DIR names.
package func findDeployment(
    workingDirectory: String, environment: [String: String], tree: FileTree
) -> String? {
    upward(from: workingDirectory).first { tree.kind("\($0)/deployment.yml") == .file }
        ?? environment["SO_DEPLOYMENT_DIR"].flatMap { $0.isEmpty ? nil : absolutePath($0, in: workingDirectory) }
}

private func upward(from directory: String) -> [String] {
    var places = [directory]
    while let last = places.last, last != "/" { places.append(parentDirectory(last)) }
    return places
}
