import OrderedCollections
import YAML

extension ServiceDecoder {
    func decodeDependencies(_ fields: inout Fields, _ service: inout Service) {
        for entry in fields.entries("depends_on") {
            let path = "\(fields.path).depends_on.\(entry.key)"
            var inner = Fields(entry.value, path: path, state: state)
            let condition = inner.choice("condition", Dependency.Condition.self)
            let isRequired = inner.bool("required") ?? true
            let restart = inner.bool("restart") ?? false
            inner.finish()
            if condition == nil, entry.value.mapping?["condition"] == nil {
                state.error("`\(path)` has no condition", at: entry.keyMark, hint: "write `condition: service_started`")
            }
            service.dependsOn[entry.key] = Dependency(
                condition: condition ?? .started, isRequired: isRequired, restart: restart, mark: entry.keyMark)
        }
    }

    func decodeLogging(_ outer: inout Fields) -> Logging? {
        guard var fields = outer.fields("logging") else { return nil }
        var logging = Logging()
        logging.driver = fields.string("driver")
        logging.options = fields.map("options")
        fields.finish()
        return logging
    }

    func decodeDevelop(_ outer: inout Fields) -> Develop? {
        guard var fields = outer.fields("develop") else { return nil }
        var develop = Develop()
        develop.watch = fields.items("watch").compactMap { decodeWatch($0, path: "\(fields.path).watch") }
        fields.finish()
        return develop
    }

    private func decodeWatch(_ item: Node, path: String) -> Develop.Watch? {
        var fields = Fields(item, path: path, state: state)
        let source = fields.string("path")
        let action = fields.choice("action", of: ["rebuild", "sync", "restart", "sync+restart", "sync+exec"])
        var watch = Develop.Watch(path: source ?? "", action: action ?? "")
        watch.target = fields.string("target")
        watch.ignore = fields.strings("ignore")
        watch.include = fields.strings("include")
        watch.initialSync = fields.bool("initial_sync")
        if var inner = fields.fields("exec") { watch.exec = decodeHook(&inner, isPreStart: false, at: inner.mark) }
        fields.finish()
        if source?.isEmpty ?? true {
            state.error("`\(path)` has an entry without a path", at: item.mark, hint: "write the path to watch")
        }
        if item.mapping != nil, item.mapping?["action"] == nil {
            state.error("`\(path)` has an entry without an action", at: item.mark, hint: "write its action")
        }
        if watch.target == nil, let action, action != "rebuild", action != "restart" {
            state.error("`\(path)`: \(action) needs a target", at: item.mark, hint: "write its target")
        }
        return source == nil || action == nil ? nil : watch
    }

    func decodeProvider(_ outer: inout Fields) -> Provider? {
        guard var fields = outer.fields("provider") else { return nil }
        var provider = Provider(type: fields.string("type") ?? "")
        for (name, node) in fields.pairs("options") {
            provider.options[name] = (node.sequence ?? [node]).compactMap { fields.text($0, "options") }
        }
        fields.finish()
        if provider.type.isEmpty {
            state.error("`\(fields.path)` has no type", at: fields.mark, hint: "write its type")
        }
        return provider
    }

    func decodeModels(_ fields: inout Fields) -> OrderedDictionary<String, ServiceModel> {
        var models: OrderedDictionary<String, ServiceModel> = [:]
        for entry in fields.entries("models") {
            var inner = Fields(entry.value, path: "\(fields.path).models.\(entry.key)", state: state)
            var model = ServiceModel(mark: entry.keyMark)
            model.endpointVar = inner.string("endpoint_var")
            model.modelVar = inner.string("model_var")
            inner.finish()
            models[entry.key] = model
        }
        return models
    }

    func decodeCredentialSpec(_ outer: inout Fields) -> CredentialSpec? {
        guard var fields = outer.fields("credential_spec") else { return nil }
        var spec = CredentialSpec()
        spec.config = fields.string("config")
        spec.file = fields.string("file")
        spec.registry = fields.string("registry")
        fields.finish()
        return spec
    }
}
