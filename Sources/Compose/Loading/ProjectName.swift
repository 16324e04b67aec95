import YAML

/// Finds a project's name: https://docs.docker.com/compose/how-tos/project-name/.
struct ProjectName {
    let state: LoadState
    let loader: DocumentLoader
    let files: [String]
    let directory: String

    /// The option, COMPOSE_PROJECT_NAME, the last `name:` of the files and overrides, or the directory's name. Reads the files.
    func find(_ scope: VariableScope) -> (name: String, mark: Mark?) {
        let written = writtenName(scope)
        if let name = state.options.projectName { return (checked(name, at: nil), nil) }
        if let variable = scope["COMPOSE_PROJECT_NAME"], let name = variable.value.literal, !name.isEmpty {
            return (checked(name, at: variable.mark), variable.mark)
        }
        if let written { return written }
        let name = Self.normalized(lastPathComponent(directory))
        guard name.isEmpty else { return (name, nil) }
        state.error(
            "the directory \(directory) gives no name for the project", at: files.first.map { Mark(file: $0) },
            hint: "write `name:` in the compose file")
        return ("default", nil)
    }

    private func writtenName(_ scope: VariableScope) -> (name: String, mark: Mark?)? {
        var result: (name: String, mark: Mark?)?
        var documents: [Node] = []
        for file in files { documents += loader.documents(file, at: nil) ?? [] }
        for document in documents + state.options.overrides {
            guard let node = document.mapping?["name"], !node.isNull else { continue }
            guard case .string(let text)? = node.value else {
                state.error("`name` must be a text", at: node.mark, hint: "put it in quotes")
                continue
            }
            guard let name = state.interpolate(text, at: node.mark, lookup: { scope[$0] }) else { continue }
            if state.refusesSecret(name, in: "`name`", at: node.mark) { continue }
            let normalized = Self.normalized(name)
            if normalized.isEmpty {
                if !name.isEmpty { _ = checked(name, at: node.mark) }
                continue
            }
            result = (normalized, node.mark)
        }
        return result
    }

    private func checked(_ name: String, at mark: Mark?) -> String {
        let normalized = Self.normalized(name)
        if normalized != name || name.isEmpty {
            state.error(
                "invalid project name `\(name)`", at: mark,
                hint: "use lower-case letters, digits, - and _, beginning with a letter or digit")
        }
        return normalized.isEmpty ? "default" : normalized
    }

    /// A name in lower case, without what may not stand in one.
    static func normalized(_ name: String) -> String {
        let kept = name.lowercased().utf8.filter {
            isNamePart($0) || $0 == UInt8(ascii: "-")
        }
        let trimmed = kept.drop { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
        return String(decoding: trimmed, as: UTF8.self)
    }
}

/// The compose files of a directory: the first there is of `compose.yaml`, `compose.yml`, `docker-compose.yml` and
/// `docker-compose.yaml`, then the first override file (`compose.override.yml`, `compose.override.yaml`,
/// `docker-compose.override.yml`, `docker-compose.override.yaml`). Absolute paths; empty if there is no compose file.
package func discoverComposeFiles(_ directory: String, tree: FileTree) -> [String] {
    func first(_ names: [String]) -> String? {
        names.map { absolutePath($0, in: directory) }.first(where: tree.hasFile)
    }
    guard let file = first(["compose.yaml", "compose.yml", "docker-compose.yml", "docker-compose.yaml"]) else {
        return []
    }
    let override = first([
        "compose.override.yml", "compose.override.yaml", "docker-compose.override.yml", "docker-compose.override.yaml",
    ])
    return [file] + [override].compactMap(\.self)
}
