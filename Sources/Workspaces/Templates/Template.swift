package import Compose
import OrderedCollections
package import Specs
package import YAML

/// A named recipe of an image: a folder with `template.yml` and `Containerfile`.
package struct Template: Sendable {
    /// A variable of a template.
    package struct Variable: Sendable {
        package var name: String
        package var help: String
        package var fallback: String?
        package var isRequired: Bool
        package var mark: Mark
    }

    /// Where a template was found; the first of one name counts.
    package enum Place: String, Hashable, Sendable, CaseIterable {
        case project
        case user
        case builtIn = "built-in"
        case directory
    }

    package var name: String
    package var place: Place
    /// Absolute.
    package var directory: String
    package var summary: String
    package var variables: [Variable]
    /// The keys of workspace.yml that it decides, before its variables are put in.
    package var definition: Node?
    /// Commands that show that the image has what it promises.
    package var checks: [String]
    package var containerfile: String

    var containerfilePath: String { directory + "/Containerfile" }
}

extension Shape {
    /// The keys of template.yml.
    package static let template = Shape.fields([
        Field("description", .text, required: true, "what the template is for"),
        Field(
            "variables",
            .mapping(
                .variable,
                .nullable(
                    .fields([
                        Field("help", .text, "what it is"), Field("default", .text, "where nothing sets it"),
                        Field("required", .bool, "whether it must be set"),
                    ]))), "what the Containerfile and `definition` may use as ${NAME}"),
        Field("definition", .any, "the keys of workspace.yml that it decides"),
        Field("verify", .list(.checked(.nonEmpty)), "commands that show that the image has what it promises"),
    ])
}

extension Template {
    /// Reads a folder.
    ///
    /// - Throws: `InvalidInput` with every fault, or ``WorkspaceError`` where a file is missing.
    package init(directory: String, place: Place, tree: FileTree) throws {
        let file = directory + "/template.yml"
        let node = try loadYAMLDocument(try Self.read(file, tree), file: file)
        var validation = Validation()
        validation.check(node, .template, at: "")
        try validation.diagnostics.throwIfErrors()
        self.init(
            name: lastPathComponent(directory), place: place, directory: directory,
            summary: node.text("description") ?? "", variables: node.entries("variables").map(Variable.init),
            definition: node.value("definition"), checks: node.texts("verify").map(\.value),
            containerfile: String(decoding: try Self.read(directory + "/Containerfile", tree), as: UTF8.self))
    }

    private static func read(_ path: String, _ tree: FileTree) throws -> [UInt8] {
        do {
            return try tree.read(path)
        } catch {
            throw WorkspaceError(
                .missing, "a template needs \(path)", cause: error.description,
                hint: "a template is a folder with template.yml and Containerfile")
        }
    }
}

extension Template.Variable {
    fileprivate init(_ entry: Mapping.Entry) {
        self.init(
            name: entry.key, help: entry.value.text("help") ?? "", fallback: entry.value.text("default"),
            isRequired: entry.value.bool("required") ?? false, mark: entry.keyMark)
    }
}
