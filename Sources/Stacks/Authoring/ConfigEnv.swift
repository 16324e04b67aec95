import Compose
import ExternalTools
import OrderedCollections
package import Specs

/// The contents of a deployment's config.env.
package struct ConfigEnv: Hashable, Sendable {
    /// `NAME=value` lines in order: only values that no secret flows into, quoted so that a POSIX shell and compose read them
    /// back equal; empty ones are kept.
    package var text: String
    /// Names whose values no quoting makes equal for both: they are written for a POSIX shell.
    package var shellOnly: [String]
}

extension LayeredProject {
    /// The operator's variables that are not secret, as a file.
    package var configEnv: ConfigEnv { configEnv(of: variables) }

    /// The same as the spec alone gives it.
    package var specConfigEnv: ConfigEnv { configEnv(of: specVariables) }

    private func configEnv(of variables: OrderedDictionary<String, Variable>) -> ConfigEnv {
        var result = ConfigEnv(text: "", shellOnly: [])
        for (name, variable) in variables {
            guard let value = variable.value.literal else { continue }
            let quoted = quotedForShellAndCompose(value)
            if quoted == nil { result.shellOnly.append(name) }
            result.text += "\(name)=\(quoted ?? singleQuoted(value))\n"
        }
        return result
    }
}

/// A value as both a POSIX shell and compose's env files read it; nil if there is no such form.
///
/// Compose: https://github.com/compose-spec/compose-go/blob/main/dotenv/parser.go. A backslash before a closing single quote
/// escapes it there, and an escaped backtick keeps its backslash; a shell reads both otherwise.
func quotedForShellAndCompose(_ value: String) -> String? {
    let plain = "_./:@%+,=-".utf8
    if value.isEmpty { return "''" }
    if value.utf8.allSatisfy({ isAlphanumeric($0) || plain.contains($0) }) { return value }
    // Compose takes a carriage return before a line feed away.
    if value.contains("\r\n") { return nil }
    let trailing = value.utf8.reversed().prefix { $0 == UInt8(ascii: "\\") }.count
    if !value.unicodeScalars.contains("'"), trailing % 2 == 0 { return "'\(value)'" }
    guard !value.unicodeScalars.contains("`") else { return nil }
    var text = "\""
    for character in value.unicodeScalars {
        if "\\\"$".unicodeScalars.contains(character) { text += "\\" }
        text.unicodeScalars.append(character)
    }
    return text + "\""
}
