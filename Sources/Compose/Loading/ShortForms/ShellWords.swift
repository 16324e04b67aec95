/// A command in its string form, split as docker compose splits it.
struct ShellWords {
    private(set) var words: [String] = []
    /// What stands from a shell's operator on, which no shell is there to see; docker compose leaves it out.
    private(set) var ignored: String?

    /// What is wrong with a command.
    enum Problem: Error, Hashable {
        case openQuote
        case trailingBackslash
        case parenthesis
    }

    private var word = String.UnicodeScalarView()
    private var hasWord = false

    /// Splits at white space; single quotes keep everything, double quotes and backslashes quote, `\t` and `\n` are a tab and a
    /// line break, backticks and `$(…)` keep what they hold.
    init(_ text: String) throws(Problem) {
        var quote: Unicode.Scalar?
        let scalars = Array(text.unicodeScalars)
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            defer { index += 1 }
            if scalar == "\\" && quote != "'" {
                index += 1
                guard index < scalars.count else { throw .trailingBackslash }
                append(scalars[index] == "t" ? "\t" : scalars[index] == "n" ? "\n" : scalars[index])
                continue
            }
            if let open = quote {
                if scalar == open { quote = nil }
                if scalar != open || open == "`" || open == ")" { append(scalar) } else { hasWord = true }
                continue
            }
            switch scalar {
            case "\"", "'": quote = scalar
            case "`":
                quote = scalar
                append(scalar)
            case "(":
                guard word.last == "$" else { throw .parenthesis }
                append(scalar)
                quote = ")"
            case ")": throw .parenthesis
            case ";", "&", "|", "<", ">":
                ignored = String(String.UnicodeScalarView(scalars[index...]))
                if scalar == ">", let first = word.first, ("0"..."9").contains(first) { hasWord = false }
                finishWord()
                return
            case " ", "\t", "\r", "\n": finishWord()
            default: append(scalar)
            }
        }
        guard quote == nil else { throw .openQuote }
        finishWord()
    }

    private mutating func append(_ scalar: Unicode.Scalar) {
        word.append(scalar)
        hasWord = true
    }

    private mutating func finishWord() {
        if hasWord { words.append(String(word)) }
        word = String.UnicodeScalarView()
        hasWord = false
    }
}
