import Egress
import OrderedCollections

extension AgentDeclaration {
    /// Environment and files of the agent's pod.
    package func setting(_ values: AgentPlaceholders) -> AgentSetting {
        var setting = AgentSetting(environment: [:], files: [:], stopSignal: stopSignal)
        for (name, text) in environment { setting.environment[name] = values.filled(text) }
        for file in files {
            let isQuoted = file.path.hasSuffix(".json") || file.path.hasSuffix(".toml")
            let text = values.filled(file.content, escaped: isQuoted)
            setting.files[values.home + "/" + file.path] = Array(text.utf8)
        }
        return setting
    }

    /// The command line of an interactive run; the user's own arguments stand behind.
    package func interactiveCommand(arguments: [String] = [], session: String, resuming: Bool = false) -> [String] {
        let command = resuming ? commands.resume ?? commands.interactive : commands.interactive
        return command.map { $0 == "${SESSION}" ? session : $0 } + arguments
    }

    /// The command line of a run without a terminal. Standard input is to be the null device.
    ///
    /// The user's arguments stand before the last `--`, or at the end where there is none.
    package func headlessCommand(
        prompt: String, arguments: [String] = [], session: String, resuming: Bool = false
    ) -> [String] {
        var line = resuming ? commands.headlessResume ?? commands.headless : commands.headless
        line.insert(contentsOf: arguments, at: line.lastIndex(of: "--") ?? line.endIndex)
        return line.map { $0 == "${SESSION}" ? session : $0.replacing("${PROMPT}", with: prompt) }
    }

    /// The image's last layer.
    package var imageLayer: AgentLayer {
        AgentLayer(agent: name, packages: install.packages, instructions: install.run.map { "RUN " + $0 })
    }
}

extension AgentPlaceholders {
    /// - Parameter escaped: whether the values are inside the quotes of JSON or TOML, which share their escapes.
    func filled(_ text: String, escaped: Bool = false) -> String {
        let values = [
            "EGRESS": egress, "TOKEN": token, "TOKEN_END": String(token.suffix(20)), "WORK_TREE": workTree,
            "HOME": home,
        ]
        var text = text
        for (name, value) in values {
            text = text.replacing("${\(name)}", with: escaped ? quotedInside(value) : value)
        }
        return text
    }
}

/// The text as it stands between the quotes of a JSON string: RFC 8259 section 7.
private func quotedInside(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
        switch scalar {
        case "\"": result += "\\\""
        case "\\": result += "\\\\"
        case _ where scalar.value < 0x20:
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result
}
