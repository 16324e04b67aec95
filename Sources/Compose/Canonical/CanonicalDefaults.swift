import YAML

/// Fills in what the short forms of compose files stand for.
enum CanonicalDefaults {
    /// The model with the long forms of ports, volumes, secrets, devices and dependencies complete.
    static func filled(_ model: Node) -> Node {
        edited(model, "services") { services in
            editedValues(services) { service in
                var service = service
                service = edited(service, "ports") { editedItems($0, port) }
                service = edited(service, "volumes") { editedItems($0, mount) }
                service = edited(service, "secrets") { editedItems($0, secret) }
                service = edited(service, "env_file") { editedItems($0) { filling($0, [("required", "true")]) } }
                service = edited(service, "gpus") { editedItems($0, device) }
                service = edited(service, "depends_on") { editedValues($0) { filling($0, [("required", "true")]) } }
                return edited(service, "deploy") { deploy in
                    edited(deploy, "resources") { resources in
                        edited(resources, "reservations") { edited($0, "devices") { editedItems($0, device) } }
                    }
                }
            }
        }
    }

    private static func port(_ node: Node) -> Node { filling(node, [("mode", "ingress"), ("protocol", "tcp")]) }

    private static func secret(_ node: Node) -> Node {
        guard let source = node.mapping?["source"]?.text else { return node }
        return filling(node, [("target", "/run/secrets/\(source)")])
    }

    private static func device(_ node: Node) -> Node {
        node.mapping?["device_ids"] == nil ? filling(node, [("count", "all")]) : node
    }

    /// A short form says by its type what it is; a long form is left as it was written.
    private static func mount(_ node: Node) -> Node {
        guard var mapping = node.mapping, let type = mapping["type"] else { return node }
        if let target = mapping["target"]?.text, target.hasPrefix("/") {
            mapping["target"] = .string(normalizedPath(target), mark: mapping["target"]?.mark ?? node.mark)
        }
        // The parts of a short form all stand where the form itself stands.
        if type.mark == node.mark {
            switch type.text {
            case "bind": mapping["bind"] = filling(mapping["bind"] ?? .map([]), [("create_host_path", "true")])
            case "volume" where mapping["volume"] == nil: mapping["volume"] = .map([])
            default: break
            }
        }
        return Node(.mapping(mapping), mark: node.mark)
    }

    /// The mapping, with the values that it lacks.
    static func filling(_ node: Node, _ values: [(String, String)]) -> Node {
        guard var mapping = node.mapping else { return node }
        for (key, value) in values where mapping[key]?.isNull ?? true { mapping[key] = .plain(value, mark: node.mark) }
        return Node(.mapping(mapping), mark: node.mark)
    }

    /// The mapping, with one of its values changed if it is there.
    static func edited(_ node: Node, _ key: String, _ change: (Node) -> Node) -> Node {
        guard var mapping = node.mapping, let value = mapping[key] else { return node }
        mapping[key] = change(value)
        return Node(.mapping(mapping), mark: node.mark)
    }

    static func editedValues(_ node: Node, _ change: (Node) -> Node) -> Node {
        guard var mapping = node.mapping else { return node }
        for index in mapping.entries.indices { mapping.entries[index].value = change(mapping.entries[index].value) }
        return Node(.mapping(mapping), mark: node.mark)
    }

    private static func editedItems(_ node: Node, _ change: (Node) -> Node) -> Node {
        guard let items = node.sequence else { return node }
        return Node(.sequence(items.map(change)), mark: node.mark)
    }
}
