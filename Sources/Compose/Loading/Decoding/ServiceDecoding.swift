import OrderedCollections
import YAML

/// Turns one canonical service into its model.
struct ServiceDecoder {
    let state: LoadState
    let scope: VariableScope
    private let keys = KeyMarks(capacity: 32)

    init(state: LoadState, scope: VariableScope) {
        self.state = state
        self.scope = scope
    }

    func decode(_ entry: Mapping.Entry, directory: String) -> Service {
        var service = Service(name: entry.key, mark: entry.keyMark)
        service.directory = directory
        var fields = Fields(entry.value, path: "services.\(entry.key)", state: state, keys: keys)
        decodeProcess(&fields, &service)
        decodeBuild(&fields, &service)
        // Empty, as an unset variable leaves it, is as good as absent: compose names what it builds itself.
        if service.build != nil, service.image?.isEmpty ?? false { service.image = nil }
        decodeNetworking(&fields, &service)
        decodeStorage(&fields, &service)
        decodeLimits(&fields, &service)
        decodeIsolation(&fields, &service)
        decodeDependencies(&fields, &service)
        service.deploy = decodeDeploy(&fields)
        decodeMetadata(&fields, &service)
        service.extensions = fields.extensions()
        fields.finish()
        service.keys = keys.marks
        return service
    }

    /// What runs, and how it begins and ends.
    private func decodeProcess(_ fields: inout Fields, _ service: inout Service) {
        service.image = fields.string("image")
        service.command = fields.command("command")
        service.entrypoint = fields.command("entrypoint")
        service.workingDir = fields.string("working_dir")
        service.user = fields.string("user")
        service.groupAdd = fields.texts("group_add")
        service.tty = fields.bool("tty")
        service.stdinOpen = fields.bool("stdin_open")
        service.initProcess = fields.bool("init")
        service.attach = fields.bool("attach")
        service.stopSignal = fields.string("stop_signal")
        service.stopGracePeriod = fields.duration("stop_grace_period")
        service.platform = fields.string("platform")
        service.pullPolicy = decodePullPolicy(&fields)
        service.pullRefreshAfter = fields.string("pull_refresh_after")
        service.restart = decodeRestart(&fields)
        service.scale = fields.count("scale")
        service.healthcheck = decodeHealthcheck(&fields)
        service.environment = fields.variables("environment", scope: scope)
        service.envFiles = decodeEnvFiles(&fields)
        service.preStart = decodeHooks(&fields, "pre_start")
        service.postStart = decodeHooks(&fields, "post_start")
        service.preStop = decodeHooks(&fields, "pre_stop")
    }

    private func decodeMetadata(_ fields: inout Fields, _ service: inout Service) {
        service.labels = fields.map("labels")
        // kompose's labels are keys in disguise: each is told of at its own place.
        for entry in fields.entries("labels") where entry.key.hasPrefix("kompose.") {
            keys.marks["labels.\(entry.key)"] = entry.keyMark
        }
        service.labelFiles = fields.strings("label_file")
        service.annotations = fields.map("annotations")
        service.containerName = decodeContainerName(&fields)
        service.profiles = fields.strings("profiles")
        service.logging = decodeLogging(&fields)
        service.develop = decodeDevelop(&fields)
        service.provider = decodeProvider(&fields)
        service.models = decodeModels(&fields)
        service.useAPISocket = fields.bool("use_api_socket")
        service.credentialSpec = decodeCredentialSpec(&fields)
    }

    private func decodeContainerName(_ fields: inout Fields) -> String? {
        guard let name = fields.string("container_name") else { return nil }
        let bytes = Array(name.utf8)
        let isSound =
            bytes.count > 1 && isNamePart(bytes[0]) && bytes[0] != UInt8(ascii: "_")
            && bytes.allSatisfy { isNamePart($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
        guard isSound else {
            state.error(
                "`\(fields.path).container_name`: invalid container name `\(name)`",
                at: keys.marks["container_name"] ?? fields.mark, hint: "use two or more letters, digits, _ . or -")
            return nil
        }
        return name
    }

    private func decodeRestart(_ fields: inout Fields) -> RestartPolicy? {
        guard let node = fields.node("restart") else { return nil }
        // An unquoted `no` is a text in YAML 1.2, and false in 1.1: older files mean the same.
        if node.boolValue == false { return .no }
        guard let text = fields.string(node, "restart") else { return nil }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        switch (parts.first, parts.count) {
        case ("no", 1), ("", 1): return .no
        case ("always", 1): return .always
        case ("unless-stopped", 1): return .unlessStopped
        case ("on-failure", 1): return .onFailure(nil)
        case ("on-failure", 2):
            if let limit = Int(parts[1]), limit >= 0 { return .onFailure(limit) }
        default: break
        }
        state.error(
            "`\(fields.path).restart`: invalid restart policy `\(text)`", at: node.mark,
            hint: "write \"no\", always, unless-stopped, on-failure or on-failure:3")
        return nil
    }

    private func decodePullPolicy(_ fields: inout Fields) -> PullPolicy? {
        guard let node = fields.node("pull_policy"), let text = fields.string(node, "pull_policy") else { return nil }
        switch text {
        case "always": return .always
        case "never": return .never
        case "missing", "if_not_present": return .missing
        case "build": return .build
        case "refresh": return .refresh
        case "daily": return .every(.seconds(86_400))
        case "weekly": return .every(.seconds(604_800))
        default: break
        }
        if text.hasPrefix("every_"), let duration = ComposeDuration.parse(String(text.dropFirst(6))) {
            return .every(duration)
        }
        let words = ["always", "never", "missing", "if_not_present", "build", "refresh", "daily", "weekly"]
        state.error(
            "`\(fields.path).pull_policy`: invalid pull policy `\(text)`", at: node.mark,
            hint: nearest(text, in: words).map { "did you mean \($0)?" }
                ?? "write one of \(words.joined(separator: ", "))")
        return nil
    }

    private func decodeEnvFiles(_ fields: inout Fields) -> [EnvFile] {
        fields.items("env_file").compactMap { item in
            var inner = Fields(item, path: "\(fields.path).env_file", state: state)
            let path = inner.string("path")
            let isRequired = inner.bool("required") ?? true
            let format = inner.string("format")
            inner.finish()
            guard let path, !path.isEmpty else {
                state.error(
                    "`\(fields.path).env_file` has an entry without a path", at: item.mark, hint: "write its path")
                return nil
            }
            if let format, format != "raw", format != ".env" {
                state.error(
                    "`\(fields.path).env_file`: the format `\(format)` is not known", at: item.mark, hint: "write raw")
            }
            return EnvFile(
                path: path, isRequired: isRequired, format: format == "raw" ? "raw" : nil, mark: item.mark)
        }
    }

    private func decodeHealthcheck(_ fields: inout Fields) -> Healthcheck? {
        guard var inner = fields.fields("healthcheck") else { return nil }
        var check = Healthcheck(test: nil, mark: keys.marks["healthcheck"] ?? inner.mark)
        check.test = decodeTest(&inner)
        check.interval = inner.duration("interval")
        check.timeout = inner.duration("timeout")
        check.startPeriod = inner.duration("start_period")
        check.startInterval = inner.duration("start_interval")
        check.retries = inner.count("retries")
        if inner.bool("disable") == true { check.test = Healthcheck.Test.none }
        inner.finish()
        return check
    }

    private func decodeTest(_ fields: inout Fields) -> Healthcheck.Test? {
        guard let node = fields.node("test") else { return nil }
        guard let items = node.sequence else {
            guard let text = fields.template(node, "test") else { return nil }
            return text.pieces.isEmpty ? nil : .shell(text)
        }
        let words = items.compactMap { fields.template($0, "test") }
        guard let first = words.first?.literal, words.count == items.count else {
            if items.isEmpty { return nil }
            if words.count == items.count { reportTest(fields, node.mark) }
            return nil
        }
        switch first {
        case "NONE": return Healthcheck.Test.none
        case "CMD" where words.count > 1: return .command(Array(words.dropFirst()))
        case "CMD-SHELL" where words.count == 2: return .shell(words[1])
        case "CMD-SHELL" where words.count > 2:
            // docker hands the first text to the shell and the rest as its arguments.
            state.warning(
                "`\(fields.path).test`: CMD-SHELL takes one text; the others are not part of it", at: node.mark,
                hint: "write one text")
            return .shell(words[1])
        default:
            reportTest(fields, node.mark)
            return nil
        }
    }

    private func reportTest(_ fields: Fields, _ mark: Mark) {
        state.error(
            "`\(fields.path).test` must begin with CMD, CMD-SHELL or NONE", at: mark,
            hint: "write [\"CMD\", …] or a text for the shell")
    }

    func decodeHooks(_ fields: inout Fields, _ key: String) -> [Hook] {
        fields.items(key).map { item in
            var inner = Fields(item, path: "\(fields.path).\(key)", state: state)
            return decodeHook(&inner, isPreStart: key == "pre_start", at: item.mark)
        }
    }

    func decodeHook(_ fields: inout Fields, isPreStart: Bool, at mark: Mark) -> Hook {
        var hook = Hook(command: fields.command("command"), mark: mark)
        hook.user = fields.string("user")
        hook.privileged = fields.bool("privileged")
        hook.workingDir = fields.string("working_dir")
        hook.environment = fields.variables("environment", scope: scope)
        if isPreStart {
            hook.image = fields.string("image")
            hook.perReplica = fields.bool("per_replica")
        } else if hook.command == nil {
            state.error("`\(fields.path)` has a hook without a command", at: mark, hint: "write its command")
        }
        fields.finish()
        return hook
    }
}
