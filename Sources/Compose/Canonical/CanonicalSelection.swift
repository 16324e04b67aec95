import OrderedCollections
import YAML

/// Keeps of a merged tree what the loaded project keeps: the active services, what they use, and the values of their files.
struct CanonicalSelection {
    let project: Project

    func selected(_ model: Node) -> Node {
        guard var mapping = model.mapping else { return model }
        if let services = mapping["services"] { mapping["services"] = self.services(services) }
        let services = project.services.values
        let sources = services.flatMap(\.volumes).compactMap { $0.kind == .volume ? $0.source : nil }
        let secrets = services.flatMap { $0.secrets + ($0.build?.secrets ?? []) }
        keep(Set(services.flatMap(\.networks.keys)), of: "networks", &mapping)
        keep(Set(sources), of: "volumes", &mapping)
        keep(Set(services.flatMap { $0.configs.map(\.source) }), of: "configs", &mapping)
        keep(Set(secrets.map(\.source)), of: "secrets", &mapping)
        keep(Set(services.flatMap(\.models.keys)), of: "models", &mapping)
        return Node(.mapping(mapping), mark: model.mark)
    }

    private func keep(_ names: Set<String>, of section: String, _ mapping: inout Mapping) {
        guard var objects = mapping[section]?.mapping else { return }
        objects.entries.removeAll { !names.contains($0.key) }
        mapping[section] = objects.entries.isEmpty ? nil : Node(.mapping(objects))
    }

    private func services(_ node: Node) -> Node {
        guard var mapping = node.mapping else { return node }
        mapping.entries = mapping.entries.compactMap { entry in
            guard let service = project.services[entry.key] else { return nil }
            var entry = entry
            entry.value = self.service(entry.value, service)
            return entry
        }
        return Node(.mapping(mapping), mark: node.mark)
    }

    private func service(_ node: Node, _ service: Service) -> Node {
        guard var mapping = node.mapping else { return node }
        mapping["environment"] = environment(mapping["environment"], service)
        mapping["env_file"] = nil
        if mapping["label_file"] != nil {
            mapping["labels"] = .map(service.labels.map { ($0.key, .string($0.value)) })
            mapping["label_file"] = nil
        }
        if var dependencies = mapping["depends_on"]?.mapping {
            dependencies.entries.removeAll { service.dependsOn[$0.key] == nil }
            mapping["depends_on"] = Node(.mapping(dependencies))
        }
        return Node(.mapping(mapping), mark: node.mark)
    }

    /// The service's variables, those of its env files too, and the bare names that nothing sets.
    private func environment(_ written: Node?, _ service: Service) -> Node {
        let unset = (written?.mapping?.entries ?? []).filter { service.environment[$0.key] == nil }
        let values = service.environment.map { ($0.key, Node.string($0.value.text.encoded)) }
        return .map(values + unset.map { ($0.key, .plain("null")) })
    }
}
