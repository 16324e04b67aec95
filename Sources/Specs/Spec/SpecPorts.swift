import Compose
import OrderedCollections
package import YAML

extension ValueFormat where Value == OrderedDictionary<String, [PortMapping]> {
    /// By the service's name: entries as compose has them under `ports`, in short or long form.
    static var ports: ValueFormat {
        ValueFormat(shape: .mapping(.name, .nullable(.any))) { node, diagnostics in
            readPorts(node.mapping?.entries ?? [], &diagnostics)
        } encode: { ports in
            .map(ports.map { ($0.key, .list($0.value.map(\.node))) })
        }
    }
}

extension PortMapping {
    /// The short form where it can say everything.
    package var node: Node {
        guard name == nil, mode == nil, appProtocol == nil else { return longForm }
        let address = hostIP.map { $0.contains(":") ? "[\($0)]:" : "\($0):" } ?? ""
        let host = published.map { "\(text(of: $0)):" } ?? (hostIP == nil ? "" : ":")
        return .string("\(address)\(host)\(target)\(transport == .tcp ? "" : "/\(transport.rawValue)")")
    }

    private var longForm: Node {
        let pairs: [(String, Node?)] = [
            ("name", name.map { .string($0) }), ("mode", mode.map { .string($0) }),
            ("host_ip", hostIP.map { .string($0) }), ("target", .plain(String(target))),
            ("published", published.map { .string(text(of: $0)) }), ("protocol", .string(transport.rawValue)),
            ("app_protocol", appProtocol.map { .string($0) }),
        ]
        return .map(pairs.compactMap { key, value in value.map { (key, $0) } })
    }

    private func text(of range: ClosedRange<Int>) -> String {
        range.count == 1 ? String(range.lowerBound) : "\(range.lowerBound)-\(range.upperBound)"
    }
}

/// Reads `network.ports` by the rules of compose.
private func readPorts(
    _ entries: [Mapping.Entry], _ diagnostics: inout Diagnostics
) -> OrderedDictionary<String, [PortMapping]> {
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
