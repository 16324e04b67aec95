import OrderedCollections
import YAML

/// Turns the merged tree of all files into a project.
struct ProjectDecoder {
    let state: LoadState
    let scopes: Scopes
    let directory: String

    func decode(_ model: Node, name: String, nameMark: Mark?) -> Project {
        var project = Project(name: name, directory: directory)
        project.nameMark = nameMark
        var fields = Fields(model, path: "", state: state)
        _ = (fields.node("name"), fields.node("version"), fields.node("include"))
        let resources = ResourceDecoder(state: state, scopes: scopes, projectName: name)
        project.networks = section(&fields, "networks", resources.network)
        project.volumes = section(&fields, "volumes", resources.volume)
        project.configs = section(&fields, "configs", resources.config)
        project.secrets = section(&fields, "secrets", resources.secret)
        project.models = section(&fields, "models", resources.model)
        project.services = section(&fields, "services") { entry in
            let scope = scopes.scope(section: "services", name: entry.key)
            return ServiceDecoder(state: state, scope: scope).decode(
                entry, directory: scopes.directory(ofService: entry.key) ?? directory)
        }
        project.extensions = fields.extensions()
        fields.finish()
        return project
    }

    private func section<Value>(
        _ fields: inout Fields, _ key: String, _ decode: (Mapping.Entry) -> Value
    ) -> OrderedDictionary<String, Value> {
        guard let node = fields.node(key) else { return [:] }
        guard let mapping = node.mapping else {
            state.error(
                "`\(key)` must be a mapping, not \(kind(of: node))", at: node.mark, hint: "write `name:` lines under it"
            )
            return [:]
        }
        var result: OrderedDictionary<String, Value> = [:]
        result.reserveCapacity(mapping.entries.count)
        for entry in mapping.entries where isSound(entry, in: key) { result[entry.key] = decode(entry) }
        return result
    }

    /// Names are letters, digits, `.`, `_` and `-`.
    private func isSound(_ entry: Mapping.Entry, in section: String) -> Bool {
        let dot = UInt8(ascii: "."), dash = UInt8(ascii: "-")
        if !entry.key.isEmpty, entry.key.utf8.allSatisfy({ isNamePart($0) || $0 == dot || $0 == dash }) { return true }
        state.error(
            "`\(section)`: invalid name `\(entry.key)`", at: entry.keyMark,
            hint: "use letters, digits, `.`, `_` and `-`")
        return false
    }
}
