import Runtimes

extension SessionService {
    /// The files of a project that decide what its next session may do: which secrets it gets, what it reaches, what is built for it. An agent's
    /// change of them counts once a person has asked for it.
    func definingFiles(_ record: SessionRecord, in repository: ProjectRepository) -> DefiningFiles {
        var files = DefiningFiles()
        guard let project = try? Project(repository.root) else { return files }
        var request = SessionRequest(directory: record.project)
        request.agent = record.agent
        guard let definition = try? finder.definition(project, request) else { return files }
        for path in definition.compose.files {
            files.names.insert(path)
            // A link's target is what is read.
            let target = Files.canonical("\(project.path)/\(path)")
            if target.hasPrefix(project.path + "/") {
                files.names.insert(String(target.dropFirst(project.path.count + 1)))
            }
        }
        if case .build(let build) = definition.source {
            files.names.insert(build.containerfile ?? "Dockerfile")
            files.names.insert("\(build.context)/\(build.containerfile ?? "Dockerfile")")
        }
        return files
    }
}
