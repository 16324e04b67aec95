import ArgumentParser

/// Lets global options stand before the subcommand too: `so --stack S deploy init` is `so deploy init --stack S`.
///
/// The argument parser gives an option to the command it stands behind, so what stands before the leaf is moved behind it.
struct ArgumentOrder {
    /// Options of leaves that may stand earlier and take a value.
    static let valueOptions: Set<String> = [
        "--stack", "--deploy-to", "--dir", "--cluster", "--env-file", "--include", "--exclude", "--file",
        "--project-name", "--project-directory", "--profile", "--ansi", "--progress", "--parallel",
    ]
    /// What docker compose takes before its verbs; behind one, the letters may mean something else.
    static let short = ["-f": "--file", "-p": "--project-name"]
    /// Flags of leaves that may stand earlier.
    static let flags: Set<String> = [
        "--verbose", "--quiet", "--debug", "--dry-run", "--no-color", "--compatibility", "--all-resources",
    ]

    private let root: any ParsableCommand.Type

    init(root: any ParsableCommand.Type) {
        self.root = root
    }

    /// The arguments with early global options moved behind the leaf subcommand; all else is left as it stands.
    func hoisted(_ arguments: [String]) -> [String] { Self.plain(ordered(arguments)) }

    /// docker compose's `--ansi never` asks for what `--no-color` does.
    private static func plain(_ arguments: [String]) -> [String] {
        let own = arguments.prefix { $0 != "--" }
        let isPlain =
            own.contains("--ansi=never") || zip(own, own.dropFirst()).contains { $0 == "--ansi" && $1 == "never" }
        guard isPlain, let verb = arguments.first else { return arguments }
        return [verb, "--no-color"] + arguments.dropFirst()
    }

    private func ordered(_ arguments: [String]) -> [String] {
        var path: [String] = []
        var early: [String] = []
        var command = root
        var index = 0
        while index < arguments.count {
            let argument = path.isEmpty ? Self.long(arguments[index]) : arguments[index]
            let name = String(argument.prefix { $0 != "=" })
            if Self.flags.contains(name) || Self.valueOptions.contains(name) && argument.contains("=") {
                early.append(argument)
            } else if Self.valueOptions.contains(name), index + 1 < arguments.count {
                early += [argument, arguments[index + 1]]
                index += 1
            } else if let next = Self.subcommand(of: command, named: argument) {
                path.append(argument)
                command = next
            } else {
                // A mistyped verb stays where it stands: what is said is that it is none, and not that it has no such option.
                if Self.needsVerb(command), !argument.hasPrefix("-") {
                    path.append(argument)
                    index += 1
                }
                break
            }
            index += 1
            if command.configuration.subcommands.isEmpty { break }
        }
        let rest = arguments[index...]
        guard let command = command as? any PassingThrough.Type else {
            return path + early + (Self.hasFileOption(command) ? rest.map { $0 == "-f" ? "--file" : $0 } : Array(rest))
        }
        return path + early + Self.marked(rest, command)
    }

    private static func long(_ argument: String) -> String { short[argument] ?? argument }

    /// Whether `-f` behind a verb is a compose file: it is where it is nothing else.
    private static func hasFileOption(_ command: any ParsableCommand.Type) -> Bool {
        (command as? any ProjectVerb.Type)?.takesFileLetter ?? false
    }

    /// The arguments with `--` before the command that is run: from there on, nothing is an option of `so`.
    static func marked(_ arguments: ArraySlice<String>, _ command: any PassingThrough.Type) -> ArraySlice<String> {
        var positionals = 0
        var index = arguments.startIndex
        while index < arguments.endIndex, arguments[index] != "--" {
            if !arguments[index].hasPrefix("-") {
                positionals += 1
                if positionals == 2 { return arguments[..<index] + ["--"] + arguments[index...] }
            } else if command.takesValue(arguments[index]) {
                index += 1
            }
            index += 1
        }
        return arguments
    }

    private static func needsVerb(_ command: any ParsableCommand.Type) -> Bool {
        !command.configuration.subcommands.isEmpty && command.configuration.defaultSubcommand == nil
    }

    private static func subcommand(
        of command: any ParsableCommand.Type, named name: String
    ) -> (any ParsableCommand.Type)? {
        command.configuration.subcommands.first {
            $0._commandName == name || $0.configuration.aliases.contains(name)
        }
    }
}
