package import Compose
import Specs
package import YAML

/// A devcontainer.json, read as a layer below workspace.yml: https://containers.dev/implementors/json_reference/
package struct Devcontainer: Sendable {
    package var document: DefinitionDocument

    /// Where the specification looks for it.
    package static func find(_ path: String?, in project: Project, tree: FileTree) -> String? {
        let candidates = path.map { [$0] } ?? [".devcontainer/devcontainer.json", ".devcontainer.json"]
        return candidates.map { "\(project.path)/\($0)" }.first { tree.kind($0) == .file }
    }

    /// - Parameter diagnostics: receives what is refused as errors, and what is not taken over as warnings, each with its line.
    package init?(
        _ bytes: [UInt8], file: String, project: Project, tree: FileTree = .disk, diagnostics: inout Diagnostics
    ) {
        let node: Node
        do {
            node = try loadYAMLDocument(withoutComments(bytes), file: file)
        } catch {
            diagnostics.append(contentsOf: error.diagnostics)
            return nil
        }
        var reading = DevcontainerReading(
            node: node, directory: parentDirectory(file), project: project.path, diagnostics: diagnostics)
        let definition = reading.definition(tree: tree)
        diagnostics = reading.diagnostics
        document = DefinitionDocument(definition, layer: .devcontainer, diagnostics: &diagnostics)
    }
}

/// JSON with comments and trailing commas, as YAML reads it: comments become blanks, so that every place stays as it is.
func withoutComments(_ bytes: [UInt8]) -> [UInt8] {
    var result = bytes
    var index = 0
    var isText = false
    while index < bytes.count {
        let byte = bytes[index]
        let next = index + 1 < bytes.count ? bytes[index + 1] : 0
        if isText {
            if byte == UInt8(ascii: "\\") { index += 1 } else if byte == UInt8(ascii: "\"") { isText = false }
        } else if byte == UInt8(ascii: "\"") {
            isText = true
        } else if byte == UInt8(ascii: "\t") {
            // YAML has no tabs before a token.
            result[index] = UInt8(ascii: " ")
        } else if byte == UInt8(ascii: "/"), next == UInt8(ascii: "/") || next == UInt8(ascii: "*") {
            let isBlock = next == UInt8(ascii: "*")
            while index < bytes.count {
                if !isBlock, bytes[index] == UInt8(ascii: "\n") { break }
                let ends =
                    isBlock && bytes[index] == UInt8(ascii: "*") && index + 1 < bytes.count
                    && bytes[index + 1] == UInt8(ascii: "/") && result[index - 1] == UInt8(ascii: " ")
                if bytes[index] != UInt8(ascii: "\n") { result[index] = UInt8(ascii: " ") }
                index += 1
                if ends {
                    result[index] = UInt8(ascii: " ")
                    break
                }
            }
        }
        index += 1
    }
    return result
}
