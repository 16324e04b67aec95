/// Kubernetes' expansion of `$(NAME)`: `$$` is a `$`, an unknown name stays as it is written.
///
/// https://kubernetes.io/docs/tasks/inject-data-application/define-interdependent-environment-variables/
func expand(_ text: String, _ lookup: (String) -> EnvironmentValue?) -> CommandWord {
    var pieces: [CommandWord.Piece] = []
    var literal = ""
    var rest = text[...]
    func flush() {
        if !literal.isEmpty { pieces.append(.text(literal)) }
        literal = ""
    }
    while let character = rest.popFirst() {
        guard character == "$", let next = rest.first else {
            literal.append(character)
            continue
        }
        if next == "$" {
            rest.removeFirst()
            literal.append("$")
        } else if next == "(", let end = rest.firstIndex(of: ")") {
            let name = String(rest[rest.index(after: rest.startIndex)..<end])
            rest = rest[rest.index(after: end)...]
            switch lookup(name) {
            case .plain(let value)?: literal += value
            case .secret?:
                flush()
                pieces.append(.secret(name))
            case nil: literal += "$(\(name))"
            }
        } else {
            literal.append(character)
        }
    }
    flush()
    return CommandWord(pieces: pieces)
}

/// One variable's value; a secret one never stands in an argument.
enum EnvironmentValue: Hashable, Sendable {
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
