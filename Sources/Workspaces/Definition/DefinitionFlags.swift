package import YAML

/// The answers of a command line, each the key of workspace.yml of the same name.
package struct DefinitionFlags: Hashable, Sendable {
    package var template: String?
    package var image: String?
    /// `python=3.12` each.
    package var languages: [String] = []
    package var tools: [String] = []
    /// `redis`, `postgresql=16` or `mysql=host` each.
    package var databases: [String] = []
    package var frameworks: [String] = []
    package var agent: String?
    package var compose: [String] = []
    package var ports: [Int] = []
    package var setup: [String] = []
    package var allow: [String] = []
    package var cpus: String?
    package var memory: String?
    package var disk: String?
    package var onExit: String?
    package var user: String?
    package var keepsRunning: Bool?
    /// `NAME=value` each, for the template.
    package var variables: [String] = []
    /// An env file with variables of the template; absolute.
    package var variableFile: String?

    package init() {}

    /// As a document with the keys of workspace.yml; its places are the flags.
    package var node: Node {
        var mapping = Mapping()
        func put(_ key: String, _ flag: String, _ value: Node?) {
            guard let value else { return }
            mapping.entries.append(.init(key: key, keyMark: Mark(file: flag), value: value))
        }
        func list(_ texts: [String], _ flag: String) -> Node? {
            let items = texts.map { Node.string($0, mark: Mark(file: flag)) }
            return items.isEmpty ? nil : Node(.sequence(items), mark: Mark(file: flag))
        }
        func text(_ value: String?, _ flag: String) -> Node? { value.map { .string($0, mark: Mark(file: flag)) } }
        put("template", "--template", text(template, "--template"))
        put("image", "--image", text(image, "--image"))
        put("languages", "--language", pairs(languages, "--language"))
        put("tools", "--tool", list(tools, "--tool"))
        put("databases", "--database", databaseList)
        put("frameworks", "--framework", list(frameworks, "--framework"))
        put("agent", "--agent", text(agent, "--agent"))
        put("compose", "--compose", list(compose, "--compose"))
        put("ports", "--port", ports.isEmpty ? nil : .list(ports.map { .plain("\($0)", mark: Mark(file: "--port")) }))
        put("setup", "--setup", list(setup, "--setup"))
        put("egress", "--allow", list(allow, "--allow").map { .map([("allow", $0)]) })
        put("resources", "--cpus", resources)
        put("on-exit", "--on-exit", text(onExit, "--on-exit"))
        put("user", "--user", text(user, "--user"))
        put("keep-running", "--keep-running", keepsRunning.map { .plain("\($0)", mark: Mark(file: "--keep-running")) })
        return Node(.mapping(mapping), mark: Mark(file: "the command line"))
    }

    private var resources: Node? {
        let given = [("cpus", cpus), ("memory", memory), ("disk", disk)].compactMap { name, value in
            value.map { (name, Node.string($0, mark: Mark(file: "--\(name)"))) }
        }
        return given.isEmpty ? nil : .map(given)
    }

    private func pairs(_ texts: [String], _ flag: String) -> Node? {
        guard !texts.isEmpty else { return nil }
        return Node(
            .mapping(
                Mapping(
                    texts.map { text in
                        let (name, value) = Self.split(text)
                        let version = value ?? Language.named(name)?.versions.first ?? ""
                        return .init(
                            key: name, keyMark: Mark(file: flag), value: .string(version, mark: Mark(file: flag)))
                    })), mark: Mark(file: flag))
    }

    private var databaseList: Node? {
        guard !databases.isEmpty else { return nil }
        let mark = Mark(file: "--database")
        let items = databases.map { text -> Node in
            let (name, place) = Self.split(text)
            guard let place else { return .string(name, mark: mark) }
            let entry = Mapping.Entry(key: name, keyMark: mark, value: .string(place, mark: mark))
            return Node(.mapping(Mapping([entry])), mark: mark)
        }
        return Node(.sequence(items), mark: mark)
    }

    private static func split(_ text: String) -> (String, String?) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        return (parts.first ?? "", parts.count > 1 ? parts.last : nil)
    }
}
