package import Compose
package import OrderedCollections
package import YAML

/// The variables of an env file by compose's rules, in the order of the file.
///
/// A value that refers to a variable that nothing sets is an error: a `$` in a password must not vanish.
package func readEnvironmentFile(
    _ path: String, scope: VariableScope, tree: FileTree, diagnostics: inout Diagnostics
) -> OrderedDictionary<String, Located<String>> {
    var options = LoadOptions()
    options.projectName = "variables"
    options.scope = scope
    options.envFiles = []
    options.warnsOfUnsetVariables = false
    let file = "/.so/variables.yml"
    let escaped = path.replacing(scalar: "$", with: "$$")
    let service = Node.map([("image", .string("none")), ("env_file", .list([.string(escaped)]))])
    let document = Node.map([("services", .map([("variables", service)]))])
    let project = loadProject(
        files: [file], options: options, tree: tree.adding(file, document.yaml()), diagnostics: &diagnostics)
    var result: OrderedDictionary<String, Located<String>> = [:]
    for (name, value) in project?.services["variables"]?.environment ?? [:] {
        for use in value.uses where use.outcome == .nothing {
            diagnostics.error(
                "\(name): the value refers to the variable \(use.name), which nothing sets", at: value.mark,
                hint: "put the value in single quotes if the '$' is part of it")
        }
        guard let text = value.text.literal else {
            diagnostics.error("\(name): a generated secret is not allowed in an env file", at: value.mark)
            continue
        }
        result[name] = Located(text, at: value.mark)
    }
    return result
}

extension FileTree {
    /// This tree with one more file.
    func adding(_ file: String, _ text: String) -> FileTree { adding(file, bytes: Array(text.utf8)) }

    /// This tree with one more file: what was read from a pipe, or made in memory.
    package func adding(_ file: String, bytes: [UInt8]) -> FileTree {
        // A tree asks by normalized paths.
        let file = normalizedPath(file)
        return FileTree(
            read: { (path) throws(FileTreeError) in
                if path == file { return bytes }
                return try self.read(path)
            },
            kind: { $0 == file ? .file : self.kind($0) },
            list: { (path) throws(FileTreeError) in try self.list(path) },
            mode: { $0 == file ? 0o644 : self.mode($0) },
            realPath: { $0 == file ? file : self.realPath($0) })
    }
}
