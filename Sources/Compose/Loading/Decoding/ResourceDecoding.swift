import OrderedCollections
import YAML

/// Turns the top level's networks, volumes, configs, secrets and models into their models.
struct ResourceDecoder {
    let state: LoadState
    let scopes: Scopes
    let projectName: String

    /// The engine's name of an object: `name:`, else the key itself if it is external, else `<project>_<key>`.
    private func name(_ written: String?, key: String, isExternal: Bool) -> String {
        if let written, !written.isEmpty { return written }
        return isExternal ? key : "\(projectName)_\(key)"
    }

    func network(_ entry: Mapping.Entry) -> Network {
        let keys = KeyMarks()
        var fields = Fields(entry.value, path: "networks.\(entry.key)", state: state, keys: keys)
        let written = fields.string("name")
        let isExternal = fields.bool("external") ?? false
        var network = Network(
            key: entry.key, name: name(written, key: entry.key, isExternal: isExternal), mark: entry.keyMark)
        network.isNamed = written?.isEmpty == false
        network.isExternal = isExternal
        network.driver = fields.string("driver")
        network.driverOpts = fields.map("driver_opts")
        network.ipam = ipam(&fields)
        network.isInternal = fields.bool("internal")
        network.attachable = fields.bool("attachable")
        network.enableIPv4 = fields.bool("enable_ipv4")
        network.enableIPv6 = fields.bool("enable_ipv6")
        network.labels = fields.map("labels")
        network.extensions = fields.extensions()
        fields.finish()
        network.keys = keys.marks
        return network
    }

    private func ipam(_ outer: inout Fields) -> IPAM? {
        guard var fields = outer.fields("ipam") else { return nil }
        var ipam = IPAM()
        ipam.driver = fields.string("driver")
        ipam.options = fields.map("options")
        ipam.pools = fields.items("config").map { item in
            var inner = Fields(item, path: "\(fields.path).config", state: state)
            var pool = IPAM.Pool()
            pool.subnet = inner.string("subnet")
            pool.ipRange = inner.string("ip_range")
            pool.gateway = inner.string("gateway")
            pool.auxAddresses = inner.map("aux_addresses")
            inner.finish()
            return pool
        }
        fields.finish()
        return ipam
    }

    func volume(_ entry: Mapping.Entry) -> Volume {
        let keys = KeyMarks()
        var fields = Fields(entry.value, path: "volumes.\(entry.key)", state: state, keys: keys)
        let written = fields.string("name")
        let isExternal = fields.bool("external") ?? false
        var volume = Volume(
            key: entry.key, name: name(written, key: entry.key, isExternal: isExternal), mark: entry.keyMark)
        volume.isNamed = written?.isEmpty == false
        volume.isExternal = isExternal
        volume.driver = fields.string("driver")
        volume.driverOpts = fields.map("driver_opts")
        volume.labels = fields.map("labels")
        volume.extensions = fields.extensions()
        fields.finish()
        volume.keys = keys.marks
        noteDevice(volume, entry.value)
        if isExternal {
            for key in keys.marks.keys.sorted() where key != "name" && key != "external" {
                state.error(
                    "`volumes.\(entry.key)` is external, so `\(key)` cannot be set", at: keys.marks[key],
                    hint: "remove `\(key)` or `external`")
            }
        }
        return volume
    }

    private func noteDevice(_ volume: Volume, _ node: Node) {
        guard let device = volume.boundDevice, device.hasPrefix("/"),
            let mark = node.mapping?["driver_opts"]?.mapping?["device"]?.mark
        else { return }
        let written = state.writtenPaths[mark] ?? device
        state.referencedPaths.append(
            ReferencedPath(path: device, written: written, role: .volumeDevice, mark: mark))
    }

    func config(_ entry: Mapping.Entry) -> Config {
        let keys = KeyMarks()
        var fields = Fields(entry.value, path: "configs.\(entry.key)", state: state, keys: keys)
        let written = fields.string("name")
        let (source, isExternal) = source(&fields, section: "configs", entry, keys: keys)
        var config = Config(
            key: entry.key, name: name(written, key: entry.key, isExternal: isExternal), source: source,
            mark: entry.keyMark)
        config.isNamed = written?.isEmpty == false
        config.templateDriver = fields.string("template_driver")
        config.labels = fields.map("labels")
        config.extensions = fields.extensions()
        fields.finish()
        config.keys = keys.marks
        return config
    }

    func secret(_ entry: Mapping.Entry) -> Secret {
        let keys = KeyMarks()
        var fields = Fields(entry.value, path: "secrets.\(entry.key)", state: state, keys: keys)
        let written = fields.string("name")
        let (source, isExternal) = source(&fields, section: "secrets", entry, keys: keys)
        var secret = Secret(
            key: entry.key, name: name(written, key: entry.key, isExternal: isExternal), source: source,
            mark: entry.keyMark)
        secret.isNamed = written?.isEmpty == false
        secret.driverOpts = fields.map("driver_opts")
        secret.templateDriver = fields.string("template_driver")
        secret.labels = fields.map("labels")
        secret.extensions = fields.extensions()
        fields.finish()
        secret.keys = keys.marks
        return secret
    }

    private func source(
        _ fields: inout Fields, section: String, _ entry: Mapping.Entry, keys: KeyMarks
    ) -> (FileSource, isExternal: Bool) {
        let isConfig = section == "configs"
        let isExternal = fields.bool("external") ?? false
        let fileNode = fields.node("file")
        let file = fileNode.flatMap { fields.string($0, "file") }
        let variable = fields.string("environment")
        let content = isConfig ? fields.node("content").flatMap { fields.template($0, "content") } : nil
        let driver = isConfig ? nil : fields.string("driver")
        var sources: [FileSource] = []
        if isExternal { sources.append(.external) }
        if let file {
            sources.append(.file(file))
            note(file, at: fileNode?.mark ?? entry.keyMark, role: isConfig ? .config : .secret)
        }
        if let variable { sources.append(environment(variable, section: section, entry, keys: keys)) }
        if let content { sources.append(.content(content)) }
        if let driver { sources.append(.driver(driver)) }
        let kinds = isConfig ? "file, environment, content or external" : "file, environment or external"
        let isMalformed = keys.marks["file"] != nil || keys.marks["environment"] != nil || keys.marks["content"] != nil
        if sources.count > 1 || sources.isEmpty && !isMalformed {
            let what = sources.isEmpty ? "has no content" : "has more than one kind of content"
            state.error("`\(section).\(entry.key)` \(what)", at: entry.keyMark, hint: "write one of \(kinds)")
        }
        return (sources.first ?? .external, isExternal)
    }

    private func environment(
        _ variable: String, section: String, _ entry: Mapping.Entry, keys: KeyMarks
    ) -> FileSource {
        let mark = keys.marks["environment"] ?? entry.keyMark
        if state.referencedVariables[variable] == nil { state.referencedVariables[variable] = mark }
        let value = scopes.scope(section: section, name: entry.key)[variable]
        if value == nil, !state.options.requiresInputs {
            state.unsetVariables[entry.keyMark] = [UnsetVariable(name: variable, isRequired: true)]
        }
        return .environment(name: variable, value: value)
    }

    private func note(_ file: String, at mark: Mark, role: ReferencedPath.Role) {
        let written = state.writtenPaths[mark] ?? file
        state.referencedPaths.append(ReferencedPath(path: file, written: written, role: role, mark: mark))
    }

    func model(_ entry: Mapping.Entry) -> Model {
        var fields = Fields(entry.value, path: "models.\(entry.key)", state: state)
        var model = Model(key: entry.key, model: fields.string("model") ?? "", mark: entry.keyMark)
        model.name = fields.string("name")
        model.contextSize = fields.count("context_size")
        model.runtimeFlags = fields.strings("runtime_flags")
        model.extensions = fields.extensions()
        fields.finish()
        if model.model.isEmpty {
            state.error("`models.\(entry.key)` names no model", at: entry.keyMark, hint: "write `model:`")
        }
        return model
    }
}
