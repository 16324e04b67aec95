package import Compose
import Runtimes
import Specs
import YAML

/// Where templates are found: the project's own, the user's, those that `so` comes with, and any directory.
package struct TemplateStore: Sendable {
    /// `.so/templates` of a project; nil outside of one.
    package var projectDirectory: String?
    package var userDirectory: String
    package var builtInDirectory: String?
    package var tree: FileTree

    /// - Parameter dataDirectory: the data that `so` comes with.
    package init(project: Project?, environment: [String: String], dataDirectory: String?, tree: FileTree = .disk) {
        projectDirectory = project.map { "\($0.path)/.so/templates" }
        let data = environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        userDirectory = (data ?? (environment["HOME"] ?? "/root") + "/.local/share") + "/so/templates"
        builtInDirectory = dataDirectory.map { $0 + "/config/templates" }
        self.tree = tree
    }

    private var places: [(Template.Place, String)] {
        [(.project, projectDirectory), (.user, userDirectory), (.builtIn, builtInDirectory)].compactMap { place, path in
            path.map { (place, $0) }
        }
    }

    /// Every template that a name finds, by name.
    package func list() throws -> [Template] {
        var found: [String: Template] = [:]
        for (place, directory) in places {
            for name in (try? tree.list(directory)) ?? [] where found[name] == nil {
                guard tree.kind("\(directory)/\(name)/template.yml") == .file else { continue }
                found[name] = try Template(directory: "\(directory)/\(name)", place: place, tree: tree)
            }
        }
        return found.sorted { $0.key < $1.key }.map(\.value)
    }

    /// - Parameter name: a template's name, or a path with a `/` in it.
    /// - Throws: ``WorkspaceError`` (`missing`) naming the nearest one.
    package func template(_ name: String, workingDirectory: String) throws -> Template {
        if name.contains("/") {
            let directory = absolutePath(name, in: workingDirectory)
            return try Template(directory: directory, place: .directory, tree: tree)
        }
        for (place, directory) in places where tree.kind("\(directory)/\(name)/template.yml") == .file {
            return try Template(directory: "\(directory)/\(name)", place: place, tree: tree)
        }
        let names = try list().map(\.name)
        throw WorkspaceError(
            .missing, "no template '\(name)'",
            hint: nearest(name, in: names).map { "did you mean '\($0)'?" }
                ?? "templates: \(names.joined(separator: ", "))")
    }

    /// Copies a template's folder; nothing that exists is overwritten.
    ///
    /// - Returns: the copy's path.
    package func copy(
        _ template: Template, as name: String, place: Template.Place, project: Project, isTrial: Bool = false
    ) throws -> String {
        guard TextRule.label.accepts(name) else {
            throw WorkspaceError(
                .invalid, "'\(name)' is not a template's name", hint: "write \(TextRule.label.description)")
        }
        let parent = place == .project ? projectDirectory ?? userDirectory : userDirectory
        let target = "\(parent)/\(name)"
        guard !Files.exists(target) else {
            throw WorkspaceError(.cannotCreate, "\(target) exists already", hint: "give the copy another name")
        }
        if isTrial { return target }
        try Files.makeDirectory(target)
        for file in try Files.tree(template.directory) where !file.hasPrefix(".git/") {
            let source = "\(template.directory)/\(file)"
            // A link could lead to any file of the host, and the copy is committed.
            guard tree.realPath(source) == tree.realPath(template.directory).map({ "\($0)/\(file)" }) else { continue }
            try Files.makeDirectory(Files.parent(of: "\(target)/\(file)"))
            try Files.write(try tree.read(source), to: "\(target)/\(file)")
        }
        return target
    }
}
