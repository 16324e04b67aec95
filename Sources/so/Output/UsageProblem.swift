import ArgumentParser
import YAML

/// What is wrong with a command line that the argument parser refused, in our own words where they say more than its.
struct UsageProblem {
    private(set) var message: String
    private(set) var hint: String

    /// - Parameters:
    ///   - said: the parser's words.
    ///   - tool: the tool as `--experimental-dump-help` describes it.
    init(_ said: String, arguments: [String], tool: Node) {
        var command = tool.mapping?["command"]
        var path = [command?.field("commandName") ?? ""]
        var rest = arguments[...]
        while let name = rest.first, let next = command?.subcommand(name) {
            command = next
            path.append(name)
            rest = rest.dropFirst()
        }
        let text = path.joined(separator: " ")
        let words = said.split(separator: "\n").first.map(String.init) ?? said
        message = words.prefix(1).lowercased() + words.dropFirst()
        hint = "\(text) --help shows how it is used"
        let verbs = command?.subcommandNames ?? []
        if !verbs.isEmpty, let wrong = rest.first, !wrong.hasPrefix("-") {
            let near = YAML.nearest(wrong, in: verbs) ?? command?.verbBelow(wrong)
            let replacement = path.count == 1 ? Replaced.hint(verb: wrong) : nil
            self = UsageProblem(
                message: "\(text) has no command \(wrong)",
                hint: replacement ?? near.map { "did you mean `\(text) \($0)`?" } ?? "\(text) --help lists its commands"
            )
        } else if let wrong = command?.unknownOption(rest), let replacement = Replaced.hint(option: wrong) {
            self = UsageProblem(message: "\(text) has no option \(wrong)", hint: replacement)
        } else if let wrong = command?.unknownOption(rest),
            let near = YAML.nearest(wrong, in: command?.longOptions ?? [])
        {
            self = UsageProblem(message: "\(text) has no option \(wrong)", hint: "did you mean \(near)?")
        }
    }

    private init(message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}

extension Node {
    private var subcommands: [Node] { mapping?["subcommands"]?.sequence ?? [] }

    fileprivate var subcommandNames: [String] { subcommands.map { $0.field("commandName") } }

    /// The nearest verb of a noun, with the noun: `deployment status`.
    fileprivate func verbBelow(_ wrong: String) -> String? {
        let deeper = subcommands.flatMap { noun in
            noun.subcommandNames.map { (verb: $0, text: "\(noun.field("commandName")) \($0)") }
        }
        let near = YAML.nearest(wrong, in: deeper.map(\.verb))
        let found = deeper.filter { $0.verb == near }
        return (found.first { $0.text.hasPrefix("deployment ") } ?? found.first)?.text
    }

    fileprivate func subcommand(_ name: String) -> Node? {
        subcommands.first { command in
            let aliases = command.mapping?["aliases"]?.sequence?.compactMap(\.text) ?? []
            return ([command.field("commandName")] + aliases).contains(name)
        }
    }

    fileprivate var longOptions: [String] {
        let names = (mapping?["arguments"]?.sequence ?? []).flatMap { $0.mapping?["names"]?.sequence ?? [] }
        return names.filter { $0.field("kind") == "long" }.map { "--" + $0.field("name") }
    }

    /// The first long option before `--` that the command does not have.
    fileprivate func unknownOption(_ arguments: ArraySlice<String>) -> String? {
        let known = Set(longOptions)
        return arguments.prefix { $0 != "--" }.filter { $0.hasPrefix("--") }
            .map { String($0.prefix { $0 != "=" }) }.first { !known.contains($0) }
    }
}
