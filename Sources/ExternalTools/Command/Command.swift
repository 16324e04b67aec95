/// One invocation of an external program, as a value: what it is can be printed and tested without running it.
///
/// Arguments are an array and never pass a shell. A secret belongs in ``environment`` or ``input``, whose values no
/// description and no error ever shows; it never belongs in ``arguments``.
package struct Command: Hashable, Sendable, CustomStringConvertible {
    /// What becomes of the program when the task that runs it is cancelled.
    package enum Cancellation: Hashable, Sendable {
        /// SIGTERM to its process group, SIGKILL after the grace: for programs that only watch or read.
        case terminate
        /// It may finish, so that it leaves nothing half done; the caller learns of the cancellation afterwards. ``Command/result()`` lets it
        /// finish even where this process is killed, or its terminal goes away.
        case finish
    }

    /// The program's name, looked up in PATH, or its path.
    package var program: String
    package var arguments: [String]
    /// The environment of whom it runs for, which it inherits; PATH is where the program is looked up.
    package var host: [String: String]
    /// Added to what it inherits.
    package var environment: [String: String]
    /// The only variables of ``host`` that it gets; nil: all of them.
    package var inherited: VariableSelection?
    /// Variables of ``host`` that it does not get.
    package var withheld: Set<String> = []
    /// Whether it runs without a terminal, in a session of its own: a program that would ask a question fails instead of waiting.
    package var isDetached = false
    /// Where it runs; nil is this process's own working directory.
    package var workingDirectory: String?
    /// What it reads on standard input; nil is the null device.
    package var input: [UInt8]?
    package var cancellation: Cancellation

    package init(
        _ program: String, _ arguments: [String], host: [String: String], environment: [String: String] = [:],
        workingDirectory: String? = nil, input: [UInt8]? = nil, cancellation: Cancellation = .terminate
    ) {
        self.program = program
        self.arguments = arguments
        self.host = host
        self.environment = environment
        self.workingDirectory = workingDirectory
        self.input = input
        self.cancellation = cancellation
    }

    /// The command as a user can paste it into a shell; added environment and input are left out.
    package var description: String { ([program] + arguments).map(shellQuoted).joined(separator: " ") }
}

/// Names of environment variables: some, and all that begin with some words.
package struct VariableSelection: Hashable, Sendable {
    package var names: Set<String>
    package var prefixes: Set<String>

    package init(names: Set<String>, prefixes: Set<String> = []) {
        self.names = names
        self.prefixes = prefixes
    }

    package func contains(_ name: String) -> Bool {
        names.contains(name) || prefixes.contains { name.hasPrefix($0) }
    }
}

/// What a program left behind: its exit code and all that it wrote.
package struct CommandOutput: Hashable, Sendable {
    /// The exit code; 128 + n for a program that died of signal n.
    package var status: Int
    package var standardOutput: [UInt8]
    /// The end of what it wrote to standard error, at most ``Command/errorLimit`` bytes.
    package var standardError: String

    package init(status: Int, standardOutput: [UInt8] = [], standardError: String = "") {
        self.status = status
        self.standardOutput = standardOutput
        self.standardError = standardError
    }

    /// Standard output as text, without the white space around it.
    package var text: String { trimmed(String(decoding: standardOutput, as: UTF8.self)) }
}

/// The word as a POSIX shell reads it back: quoted only where it must be.
package func shellQuoted(_ word: String) -> String {
    let plain = word.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "_-./:=@%+,".utf8.contains(byte)
        }
    }
    if plain, !word.isEmpty { return word }
    return singleQuoted(word)
}

/// The word in single quotes, as a POSIX shell reads it back. By scalars: a quote before a combining mark is a quote too.
package func singleQuoted(_ word: String) -> String {
    var result = String.UnicodeScalarView("'".unicodeScalars)
    for scalar in word.unicodeScalars {
        if scalar == "'" { result.append(contentsOf: "'\\''".unicodeScalars) } else { result.append(scalar) }
    }
    result.append("'")
    return String(result)
}

/// The text without white space at its ends.
func trimmed(_ text: String) -> String {
    let start = text.drop { $0.isWhitespace }
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(start[...last])
}
