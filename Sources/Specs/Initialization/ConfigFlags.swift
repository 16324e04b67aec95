package import Compose
package import OrderedCollections
package import YAML

/// Reads `--config` flags.
///
/// Each is `KEY=value`; `A=1,B=2` is split only where every piece has its own `KEY=`. A later flag wins.
package func parseConfigFlags(
    _ flags: [String], diagnostics: inout Diagnostics
) -> OrderedDictionary<String, Located<String>> {
    let mark = Mark(file: "--config")
    var result: OrderedDictionary<String, Located<String>> = [:]
    for flag in flags {
        let pieces = flag.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        let assignments = pieces.compactMap(assignment)
        let isList = assignments.count == pieces.count
        guard let found = isList ? assignments : assignment(flag).map({ [$0] }) else {
            // The flag itself may hold a secret.
            diagnostics.error("--config needs KEY=value, with a key of letters, digits and '_'", at: mark)
            continue
        }
        for (name, value) in found { result[name] = Located(value, at: mark) }
    }
    return result
}

private func assignment(_ text: String) -> (String, String)? {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    let name = String(text[..<equals])
    return isVariableName(name) ? (name, String(text[text.index(after: equals)...])) : nil
}

/// Reads a `--config-file`: an env file in compose's format, whose values are taken as they stand, so that `$generate:hex:16$` reaches
/// the spec.
///
/// - Parameter path: absolute.
/// - Throws: ``StackError`` if the file cannot be read.
package func readConfigFile(
    _ path: String, tree: FileTree, diagnostics: inout Diagnostics
) throws(StackError) -> OrderedDictionary<String, Located<String>> {
    let bytes = try readInput(path, what: "the config file", tree: tree)
    var result: OrderedDictionary<String, Located<String>> = [:]
    for line in environmentAssignments(bytes, file: path, diagnostics: &diagnostics) {
        guard isVariableName(line.name) else {
            diagnostics.error("'\(line.name)' is not \(TextRule.variable.description)", at: line.mark)
            continue
        }
        guard let value = line.value else {
            diagnostics.error("\(line.name) has no value", at: line.mark, hint: "write \(line.name)=value")
            continue
        }
        result[line.name] = Located(value, at: line.mark)
    }
    return result
}
