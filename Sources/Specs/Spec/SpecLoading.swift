package import Compose
package import YAML

/// Whether a spec is whole, or what an init hook prints.
package enum SpecCompleteness: Sendable {
    case whole
    /// `stack` and `deploy-to` may be absent.
    case fragment
}

/// Reads a spec.yml and checks all of it.
///
/// - Parameters:
///   - bytes: the file's contents; an empty file is an empty fragment.
///   - file: its name in diagnostics.
///   - directory: the absolute directory that its relative paths start from.
/// - Returns: the spec, or nil if the diagnostics received an error.
package func parseSpec(
    _ bytes: [UInt8], file: String, directory: String, completeness: SpecCompleteness = .whole,
    diagnostics: inout Diagnostics
) -> Spec? {
    do {
        let node = try loadYAMLDocument(bytes, file: file)
        return parseSpec(node, directory: directory, completeness: completeness, diagnostics: &diagnostics)
    } catch {
        diagnostics.append(contentsOf: error.diagnostics)
        return nil
    }
}

/// Checks and reads a spec that is parsed already.
package func parseSpec(
    _ node: Node, directory: String, completeness: SpecCompleteness = .whole, diagnostics: inout Diagnostics
) -> Spec? {
    var validation = Validation(diagnostics: Diagnostics())
    validation.check(node.isNull ? emptyMap(node) : node, completeness.shape, at: "")
    var spec = Spec(file: node.mark.file, directory: directory)
    spec.keys = validation.keys
    spec.read(node, &validation.diagnostics)
    spec.checkTogether(&validation.diagnostics)
    let hasErrors = validation.diagnostics.hasErrors
    diagnostics.append(contentsOf: validation.diagnostics.list)
    return hasErrors ? nil : spec
}

/// Reads a spec.yml from the disk.
///
/// - Parameter path: absolute; relative paths in the spec start from its directory.
/// - Throws: ``StackError`` if the file cannot be read, ``YAML/InvalidInput`` with every fault if it is not a sound spec.
/// - Returns: the spec, and the warnings about it.
package func loadSpec(_ path: String, tree: FileTree) throws -> (spec: Spec, warnings: [Diagnostic]) {
    let bytes = try readInput(path, what: "the spec", tree: tree)
    var diagnostics = Diagnostics()
    let spec = parseSpec(bytes, file: path, directory: parentDirectory(path), diagnostics: &diagnostics)
    guard let spec else { throw InvalidInput(diagnostics.list) }
    return (spec, diagnostics.list)
}

extension SpecCompleteness {
    fileprivate var shape: Shape {
        guard case .fragment = self, case .fields(let fields, let others) = Shape.spec else { return .spec }
        let optional = fields.map { field in
            var field = field
            field.isRequired = false
            return field
        }
        return .fields(optional, others: others)
    }
}
