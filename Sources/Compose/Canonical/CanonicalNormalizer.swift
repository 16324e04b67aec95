import YAML

/// Writes into a merged tree what compose takes for granted: names, the default network, implied dependencies.
struct CanonicalNormalizer {
    let name: String
    let directory: String
    /// What gives bare names their values; nil: nothing does.
    let scope: VariableScope?
    /// False: only what the files leave to the environment is filled in.
    let fillsNames: Bool

    func normalized(_ model: Node) -> Node {
        guard var mapping = model.mapping else { return model }
        var usesDefault = false
        if let services = mapping["services"] {
            mapping["services"] = CanonicalDefaults.editedValues(services) { service($0, &usesDefault) }
        }
        mapping["name"] = .string(name)
        if fillsNames {
            if usesDefault { addDefaultNetwork(&mapping) }
            for section in ["networks", "volumes", "configs", "secrets"] { nameObjects(&mapping, section) }
        }
        return Node(.mapping(mapping), mark: model.mark)
    }

    private func addDefaultNetwork(_ mapping: inout Mapping) {
        var networks = mapping["networks"]?.mapping ?? Mapping()
        if networks["default"] == nil { networks["default"] = .map([]) }
        mapping["networks"] = Node(.mapping(networks))
    }

    private func nameObjects(_ mapping: inout Mapping, _ section: String) {
        guard var objects = mapping[section]?.mapping else { return }
        for index in objects.entries.indices {
            let key = objects.entries[index].key
            var object = objects.entries[index].value.mapping ?? Mapping()
            if object["name"]?.isNull ?? true {
                let isExternal = object["external"]?.text == "true"
                object["name"] = .string(isExternal ? key : "\(name)_\(key)")
            }
            objects.entries[index].value = Node(.mapping(object))
        }
        mapping[section] = Node(.mapping(objects))
    }

    private func service(_ node: Node, _ usesDefault: inout Bool) -> Node {
        guard var service = node.mapping else { return node }
        if let environment = service["environment"] { service["environment"] = resolved(environment, keepsUnset: true) }
        if fillsNames {
            joinDefaultNetwork(&service, &usesDefault)
            addDependencies(&service)
            if service["pull_policy"]?.text == "if_not_present" { service["pull_policy"] = .string("missing") }
            inheritImage(&service)
        }
        if let build = service["build"] { service["build"] = self.build(build) }
        return Node(.mapping(service), mark: node.mark)
    }

    private func joinDefaultNetwork(_ service: inout Mapping, _ usesDefault: inout Bool) {
        guard service["provider"] == nil, service["network_mode"] == nil else { return }
        if service["networks"]?.mapping?.entries.isEmpty ?? true {
            service["networks"] = .map([("default", .plain("null"))])
        }
        if service["networks"]?.mapping?["default"] != nil { usesDefault = true }
    }

    private func addDependencies(_ service: inout Mapping) {
        var dependencies = service["depends_on"]?.mapping ?? Mapping()
        func imply(_ name: String, restart: Bool) {
            guard dependencies[name] == nil else { return }
            var fields: [(String, Node)] = [("condition", .string("service_started")), ("required", .plain("true"))]
            if restart { fields.append(("restart", .plain("true"))) }
            dependencies[name] = .map(fields)
        }
        for link in service["links"]?.sequence ?? [] {
            imply(String((link.text ?? "").prefix { $0 != ":" }), restart: true)
        }
        for key in ["network_mode", "ipc", "pid", "uts", "cgroup"] {
            guard let text = service[key]?.text, text.hasPrefix("service:") else { continue }
            imply(String(text.dropFirst(8)), restart: true)
        }
        for item in service["volumes_from"]?.sequence ?? [] {
            guard let text = item.text, !text.hasPrefix("container:") else { continue }
            imply(String(text.prefix { $0 != ":" }), restart: false)
        }
        if !dependencies.entries.isEmpty { service["depends_on"] = Node(.mapping(dependencies)) }
    }

    /// A `pre_start` hook without an image runs the service's own.
    private func inheritImage(_ service: inout Mapping) {
        guard let image = service["image"], let hooks = service["pre_start"]?.sequence else { return }
        service["pre_start"] = .list(
            hooks.map { hook in
                guard var mapping = hook.mapping, mapping["image"] == nil else { return hook }
                mapping["image"] = image
                return Node(.mapping(mapping), mark: hook.mark)
            })
    }

    private func build(_ node: Node) -> Node {
        guard var build = node.isNull ? Mapping() : node.mapping else { return node }
        if build["context"]?.isNull ?? true { build["context"] = .string(directory) }
        if fillsNames {
            if build["dockerfile"] == nil, build["dockerfile_inline"] == nil {
                build["dockerfile"] = .string("Dockerfile")
            }
            if let arguments = build["args"] { build["args"] = resolved(arguments, keepsUnset: false) }
        }
        return Node(.mapping(build), mark: node.mark)
    }

    /// Gives the bare names of a mapping their values.
    private func resolved(_ node: Node, keepsUnset: Bool) -> Node {
        guard let scope, var mapping = node.mapping else { return node }
        mapping.entries = mapping.entries.compactMap { entry in
            guard entry.value.isNull else { return entry }
            guard let variable = scope[entry.key] else { return keepsUnset ? entry : nil }
            return Mapping.Entry(key: entry.key, keyMark: entry.keyMark, value: .string(variable.value.encoded))
        }
        return Node(.mapping(mapping), mark: node.mark)
    }
}
