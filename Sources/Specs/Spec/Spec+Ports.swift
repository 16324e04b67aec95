import Compose
import OrderedCollections
import YAML

extension Spec {
    /// Reads `network.ports`: each entry as compose has it under `ports`, in short or long form.
    func readPorts(_ network: Node, _ diagnostics: inout Diagnostics) -> OrderedDictionary<String, [PortMapping]> {
        let entries = network.entries("ports")
        guard !entries.isEmpty else { return [:] }
        let services = entries.filter { !$0.value.isNull }.map { entry in
            Mapping.Entry(
                key: entry.key, keyMark: entry.keyMark,
                value: .map([("image", .string("none")), ("ports", withoutInterpolation(entry.value))]))
        }
        let fragment = Node.map([("services", Node(.mapping(Mapping(services))))])
        var options = LoadOptions()
        options.projectName = "ports"
        options.overrides = [fragment]
        let project = loadProject(files: [], options: options, tree: .memory([:]), diagnostics: &diagnostics)
        return OrderedDictionary(
            uniqueKeysWithValues: entries.map { ($0.key, project?.services[$0.key]?.ports ?? []) })
    }

    /// A `$` in the spec stands for itself.
    private func withoutInterpolation(_ node: Node) -> Node {
        var node = node
        switch node.content {
        case .scalar(var scalar):
            guard scalar.text.utf8.contains(UInt8(ascii: "$")) else { return node }
            scalar.text = scalar.text.replacing(scalar: "$", with: "$$")
            node.content = .scalar(scalar)
        case .sequence(let items): node.content = .sequence(items.map(withoutInterpolation))
        case .mapping(var mapping):
            for index in mapping.entries.indices {
                mapping.entries[index].value = withoutInterpolation(mapping.entries[index].value)
            }
            node.content = .mapping(mapping)
        }
        return node
    }
}
