package import Compose
package import YAML

/// What a project's own files say about the workspace that it needs.
package struct Detection: Sendable {
    /// One value of a definition, and the line that says so.
    package struct Proposal: Hashable, Sendable {
        /// A key of workspace.yml, such as `languages.python` or `setup`.
        package var key: String
        package var value: String
        package var mark: Mark
    }

    package private(set) var proposals: [Proposal] = []
    let directory: String
    let tree: FileTree

    /// Reads the files at the project's top. Nothing of it is run, and a file that cannot be read proposes nothing.
    package init(_ project: Project, tree: FileTree = .disk) {
        self.init(directory: project.path, tree: tree)
    }

    init(directory: String, tree: FileTree) {
        self.directory = directory
        self.tree = tree
        detectPython()
        detectNode()
        detectOthers()
        detectPHP()
        detectCompose()
        detectEnvironment()
        if let template { proposals.insert(template, at: 0) }
    }

    /// The proposals as a document with the keys of workspace.yml.
    package var node: Node {
        var root = Mapping()
        for proposal in proposals {
            let parts = proposal.key.split(separator: ".", maxSplits: 1).map(String.init)
            let value = Node.string(proposal.value, mark: proposal.mark)
            if parts.count == 2, let key = parts.first, let inner = parts.last {
                var section = root[key]?.mapping ?? Mapping()
                section[inner] = value
                root[key] = Node(.mapping(section))
            } else if proposal.key == "template" {
                root[proposal.key] = value
            } else {
                root[proposal.key] = .list((root[proposal.key]?.sequence ?? []) + [value])
            }
        }
        return Node(.mapping(root))
    }

    private var template: Proposal? {
        let byKey = [
            ("frameworks", "laravel"), ("languages.python", "python"), ("languages.node", "nodejs"),
            ("languages.go", "go"), ("languages.rust", "rust"), ("languages.java", "java"),
        ]
        for (key, name) in byKey {
            guard let found = proposals.first(where: { $0.key == key && (key != "frameworks" || $0.value == name) })
            else { continue }
            return Proposal(key: "template", value: name, mark: found.mark)
        }
        return nil
    }

    func exists(_ name: String) -> Bool { tree.kind("\(directory)/\(name)") == .file }

    func mark(_ name: String, _ line: Int = 1) -> Mark { Mark(file: name, line: line) }

    /// The lines of a file at the project's top; nil where it cannot be read.
    func lines(_ name: String) -> [(number: Int, text: String)]? {
        guard exists(name), let bytes = try? tree.read("\(directory)/\(name)"), bytes.count < 4 << 20 else {
            return nil
        }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.enumerated().map { ($0.offset + 1, $0.element.filter { $0 != "\r" }) }
    }

    /// A JSON file at the project's top.
    func json(_ name: String) -> Node? {
        guard exists(name), let bytes = try? tree.read("\(directory)/\(name)") else { return nil }
        return try? loadYAMLDocument(withoutComments(bytes), file: name)
    }

    mutating func propose(_ key: String, _ value: String, _ mark: Mark) {
        let isOne = key == "template" || key.contains(".")
        let isKnown = proposals.contains { $0.key == key && (isOne || $0.value == value) }
        if !isKnown { proposals.append(Proposal(key: key, value: value, mark: mark)) }
    }

    /// A language in the version of the list that a written one asks for: `>=3.11`, `^8.1`, `v22.1.0`.
    mutating func propose(_ name: String, version written: String, _ mark: Mark) {
        guard let language = Language.named(name) else { return }
        let digits = written.drop { !$0.isNumber }.prefix { $0.isNumber || $0 == "." }
        let isMinimum = written.contains(">=") || written.isEmpty || digits.isEmpty
        let near = language.nearestVersion(String(digits))
        propose(
            "languages.\(name)",
            isMinimum && !digits.isEmpty
                ? language.newest(from: near) : (digits.isEmpty ? language.versions.first ?? near : near), mark)
    }
}

extension Language {
    /// What a project that asks for a version at least gets: one that has been out for a while, or the version itself where it is newer.
    fileprivate func newest(from least: String) -> String {
        let settled = versions.dropFirst().first ?? least
        let isOlder = versions.firstIndex(of: least) ?? 0 > versions.firstIndex(of: settled) ?? 0
        return isOlder ? settled : least
    }
}
