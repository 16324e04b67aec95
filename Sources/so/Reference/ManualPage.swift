import YAML

/// A man page in the language of man(7), made of what the argument parser knows of a tool.
///
/// https://man7.org/linux/man-pages/man7/man.7.html
struct ManualPage {
    /// The tool as `--experimental-dump-help` describes it.
    var tool: Node

    var text: String {
        guard let root = tool.mapping?["command"] else { return "" }
        let name = root.field("commandName")
        var lines = [".TH \(name.uppercased()) 1 \"\" \"\(name) \(Version.description)\" \"User Commands\""]
        lines += [".SH NAME", "\(name) \\- \(Self.escaped(root.field("abstract")))"]
        lines += [".SH SYNOPSIS", ".B \(name)", ".I command", "[\\fIoptions\\fR] [\\fIarguments\\fR]"]
        lines += [".SH DESCRIPTION"] + Self.paragraphs(root.field("discussion"))
        lines += [".SH COMMANDS"]
        for leaf in Self.leaves(of: root, path: []) { lines += Self.section(leaf.command, path: leaf.path) }
        lines += Self.closing
        return lines.joined(separator: "\n") + "\n"
    }

    private static let closing = [
        ".SH EXIT STATUS",
        "0 success; 1 the deployment failed; 64 usage; 65 an invalid stack, compose file or spec; 66 a named input is missing;",
        "69 a cluster, engine or tool is not available; 73 a file or object cannot be created; 77 not permitted, or owned by",
        "another; 130 interrupted, with everything in a consistent state.",
    ]

    private static func leaves(of command: Node, path: [String]) -> [(path: [String], command: Node)] {
        let own = path + [command.field("commandName")]
        let inner = (command.mapping?["subcommands"]?.sequence ?? []).filter {
            $0.isDisplayed && $0.field("commandName") != "help"
        }
        return inner.isEmpty ? [(own, command)] : inner.flatMap { leaves(of: $0, path: own) }
    }

    private static func section(_ command: Node, path: [String]) -> [String] {
        let arguments = (command.mapping?["arguments"]?.sequence ?? []).filter(\.isDisplayed)
        let own = arguments.filter { !globals.contains($0.field("valueName")) }
        let synopsis = own.map(usage).joined(separator: " ")
        var lines = [".SS \(escaped(path.joined(separator: " ")))"]
        lines += [".nh", "\\fB\(escaped(path.joined(separator: " ")))\\fR \(synopsis)", ".hy", ".PP"]
        lines += [escaped(command.field("abstract"))] + paragraphs(command.field("discussion"))
        for argument in own {
            lines += [".TP", title(argument), escaped(argument.field("abstract"))]
        }
        return lines
    }

    /// What every command takes is told once, in the description of the tool.
    private static let globals: Set<String> = ["verbose", "quiet", "debug", "dry-run", "no-color", "help", "version"]

    private static func usage(_ argument: Node) -> String {
        let text = argument.field("kind") == "positional" ? value(argument) : title(argument)
        return argument.field("isOptional") == "true" ? "[\(text)]" : text
    }

    private static func title(_ argument: Node) -> String {
        let names = (argument.mapping?["names"]?.sequence ?? []).map { name in
            let dashes = name.field("kind") == "long" ? "--" : "-"
            return "\\fB\(escaped(dashes + name.field("name")))\\fR"
        }
        switch argument.field("kind") {
        case "positional": return value(argument)
        case "flag": return names.joined(separator: ", ")
        default: return names.joined(separator: ", ") + " " + value(argument)
        }
    }

    private static func value(_ argument: Node) -> String {
        "\\fI\(escaped(argument.field("valueName")))\\fR"
            + (argument.field("isRepeating") == "true" ? "..." : "")
    }

    private static func paragraphs(_ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        return text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            if line.isEmpty { return [".PP"] }
            // An indented line is an example: it keeps its place.
            return line.hasPrefix("  ") ? [".br", escaped(String(line))] : [escaped(String(line))]
        }
    }

    /// roff reads a backslash as its own, a hyphen as a line break's, and a line that begins with a dot as a request.
    private static func escaped(_ text: String) -> String {
        let plain = text.replacing("\\", with: "\\e").replacing("-", with: "\\-").replacing("\n", with: " ")
        return plain.hasPrefix(".") || plain.hasPrefix("'") ? "\\&" + plain : plain
    }
}

extension Node {
    func field(_ name: String) -> String { mapping?[name]?.text ?? "" }

    fileprivate var isDisplayed: Bool { field("shouldDisplay") != "false" }
}
