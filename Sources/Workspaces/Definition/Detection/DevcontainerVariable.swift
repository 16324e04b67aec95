import ExternalTools

/// `${localEnv:HOME}` and its like, which stand for something of the host or of the container. Any other `${…}` is the shell's.
/// https://containers.dev/implementors/json_reference/#variables-in-devcontainerjson
enum DevcontainerVariable {
    /// What a shell in the checkout knows itself.
    enum Known { case nothing, inShell }

    private static let names = [
        "localEnv", "containerEnv", "env", "templateOption", "localWorkspaceFolder", "containerWorkspaceFolder",
        "localWorkspaceFolderBasename", "containerWorkspaceFolderBasename", "devcontainerId",
    ]
    /// What the shell has instead: commands run in the checkout.
    private static let shell = [
        "localWorkspaceFolder": "${PWD}", "containerWorkspaceFolder": "${PWD}",
        "localWorkspaceFolderBasename": "${PWD##*/}", "containerWorkspaceFolderBasename": "${PWD##*/}",
    ]

    /// The first variable of a text that nothing here can put a value for, without its braces.
    static func first(in text: String, besides known: Known = .nothing) -> String? {
        parts(text).lazy.compactMap(\.variable).first { known == .nothing || expression($0) == nil }
    }

    /// A text for a shell in the checkout.
    static func inShell(_ text: String) -> String {
        parts(text).map { part in part.variable.map { expression($0) ?? "${\($0)}" } ?? part.text }.joined()
    }

    /// One word of a shell for an argument that has variables; nil for one without.
    static func word(_ text: String) -> String? {
        let parts = parts(text)
        guard parts.contains(where: { $0.variable != nil }) else { return nil }
        return parts.filter { $0.variable != nil || !$0.text.isEmpty }.map { part in
            part.variable.map { "\"\(expression($0) ?? "")\"" } ?? shellQuoted(part.text)
        }.joined()
    }

    private static func expression(_ variable: String) -> String? {
        if let known = shell[variable] { return known }
        let words = variable.split(separator: ":", maxSplits: 1)
        guard words.count == 2, words[0] == "containerEnv", isName(words[1]) else { return nil }
        return "${\(words[1])}"
    }

    private static func isName(_ text: Substring) -> Bool {
        text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    /// A text taken apart at its variables.
    private static func parts(_ text: String) -> [(text: String, variable: String?)] {
        var result: [(String, String?)] = []
        var plain = ""
        var rest = Substring(text)
        while let start = rest.firstRange(of: "${") {
            let after = rest[start.upperBound...]
            guard let end = after.firstIndex(of: "}") else { break }
            let inner = String(after[..<end])
            if names.contains(String(inner.prefix { $0 != ":" })) {
                result.append((plain + rest[..<start.lowerBound], nil))
                result.append(("", inner))
                plain = ""
            } else {
                plain += rest[...end]
            }
            rest = rest[after.index(after: end)...]
        }
        result.append((plain + rest, nil))
        return result
    }
}
