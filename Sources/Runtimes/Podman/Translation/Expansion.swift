/// Kubernetes' expansion of `$(NAME)`: `$$` is a `$`, an unknown name stays as it is written.
///
/// https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
func expand(_ text: String, _ lookup: (String) -> VariableText?) -> CommandWord {
    var pieces: [CommandWord.Piece] = []
    var literal = String.UnicodeScalarView()
    // Scalars, not characters: a `$` before a combining mark is a `$`.
    var rest = text.unicodeScalars[...]
    func flush() {
        if !literal.isEmpty { pieces.append(.text(String(literal))) }
        literal = String.UnicodeScalarView()
    }
    while let scalar = rest.popFirst() {
        guard scalar == "$", let next = rest.first else {
            literal.append(scalar)
            continue
        }
        if next == "$" {
            rest.removeFirst()
            literal.append("$")
        } else if next == "(", let end = rest.firstIndex(of: ")") {
            let name = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
            switch lookup(name) {
            case .plain(let value)?: literal.append(contentsOf: value.unicodeScalars)
            case .secret?:
                flush()
                pieces.append(.secret(name))
            case nil: literal.append(contentsOf: "$(\(name))".unicodeScalars)
            }
        } else {
            literal.append(scalar)
        }
    }
    flush()
    return CommandWord(pieces: pieces)
}

/// One variable's value; a secret one never stands in an argument.
enum VariableText: Hashable, Sendable {
    case plain(String)
    case secret(String)

    var text: String {
        switch self {
        case .plain(let text), .secret(let text): text
        }
    }

    var isSecret: Bool {
        if case .secret = self { true } else { false }
    }
}
