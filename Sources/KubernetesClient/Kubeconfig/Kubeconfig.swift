import FoundationEssentials
import YAML

/// The merged content of one or several kubeconfig files.
///
/// The rules are kubectl's: for each name the first file that has it counts, relative paths start from the file that names
/// them, and a file of a list that does not exist is passed over.
/// (https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/#merging-kubeconfig-files)
package struct Kubeconfig: Sendable {
    /// One named entry, with the directory of its file.
    struct Entry: Sendable {
        var node: Node
        var directory: String
    }

    var clusters: [String: Entry] = [:]
    var users: [String: Entry] = [:]
    var contexts: [String: Entry] = [:]
    package private(set) var currentContext: String?
    /// The files that were read, in order.
    package private(set) var files: [String] = []

    package init() {}

    /// The names of the contexts.
    package var contextNames: [String] { contexts.keys.sorted() }

    /// Reads files in the order of their precedence.
    ///
    /// - Parameter mayBeAbsent: whether a file that does not exist is passed over, as in a list of `KUBECONFIG`.
    package static func load(_ paths: [String], mayBeAbsent: Bool) throws(KubernetesError) -> Kubeconfig {
        var result = Kubeconfig()
        for path in paths {
            guard FileManager.default.fileExists(atPath: path) else {
                if mayBeAbsent { continue }
                throw KubernetesError(.kubeconfig, "no kubeconfig \(path)", hint: "correct the path")
            }
            try result.merge(path)
        }
        return result
    }

    private mutating func merge(_ path: String) throws(KubernetesError) {
        let document: Node
        do {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
            document = try loadYAMLDocument(bytes, file: path)
        } catch {
            throw KubernetesError(.kubeconfig, "the kubeconfig \(path) cannot be read", cause: "\(error)")
        }
        guard !document.isNull else { return }
        guard document.mapping != nil else {
            throw KubernetesError(.kubeconfig, "\(path) is not a kubeconfig", cause: "it holds no mapping")
        }
        files.append(path)
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let directory = slash.map { String(path[..<$0]) } ?? "."
        try add(document["clusters"], \.clusters, "cluster", path, directory)
        try add(document["users"], \.users, "user", path, directory)
        try add(document["contexts"], \.contexts, "context", path, directory)
        if currentContext == nil, let name = document["current-context"]?.text, !name.isEmpty { currentContext = name }
    }

    private mutating func add(
        _ list: Node?, _ keyPath: WritableKeyPath<Kubeconfig, [String: Entry]>, _ key: String, _ path: String,
        _ directory: String
    ) throws(KubernetesError) {
        guard let list, !list.isNull else { return }
        guard let items = list.sequence else {
            throw KubernetesError(.kubeconfig, "\(path): `\(key)s` is not a list")
        }
        for item in items {
            guard let name = item["name"]?.text else {
                throw KubernetesError(.kubeconfig, "\(item.mark): a \(key) without a name")
            }
            guard self[keyPath: keyPath][name] == nil else { continue }
            self[keyPath: keyPath][name] = Entry(node: item[key] ?? .map([]), directory: directory)
        }
    }
}

extension Kubeconfig.Entry {
    func text(_ key: String) -> String? {
        guard let text = node[key]?.text, !text.isEmpty else { return nil }
        return text
    }

    /// A file that the entry names, made absolute.
    func path(_ key: String) -> String? {
        text(key).map { $0.hasPrefix("/") ? $0 : "\(directory)/\($0)" }
    }
}
