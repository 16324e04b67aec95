import OrderedCollections
import YAML

extension ServiceDecoder {
    func decodeDeploy(_ outer: inout Fields) -> Deploy? {
        guard var fields = outer.fields("deploy") else { return nil }
        var deploy = Deploy(mark: fields.mark)
        deploy.mode = fields.choice("mode", Deploy.Mode.self)
        deploy.endpointMode = fields.choice("endpoint_mode", Deploy.EndpointMode.self)
        deploy.replicas = fields.count("replicas")
        deploy.labels = fields.map("labels")
        deploy.updateConfig = decodeUpdate(&fields, "update_config")
        deploy.rollbackConfig = decodeUpdate(&fields, "rollback_config")
        deploy.resources = decodeResources(&fields)
        deploy.restartPolicy = decodeRestartPolicy(&fields)
        deploy.placement = decodePlacement(&fields)
        deploy.extensions = fields.extensions()
        fields.finish()
        return deploy
    }

    private func decodeUpdate(_ outer: inout Fields, _ key: String) -> UpdateConfig? {
        guard var fields = outer.fields(key) else { return nil }
        var config = UpdateConfig()
        config.parallelism = fields.count("parallelism")
        config.delay = fields.duration("delay")
        config.failureAction = fields.choice("failure_action", of: ["continue", "rollback", "pause"])
        config.monitor = fields.duration("monitor")
        config.maxFailureRatio = fields.number("max_failure_ratio")
        config.order = fields.choice("order", of: ["start-first", "stop-first"])
        fields.finish()
        return config
    }

    private func decodeResources(_ outer: inout Fields) -> DeployResources? {
        guard var fields = outer.fields("resources") else { return nil }
        var resources = DeployResources()
        if var inner = fields.fields("limits") {
            var limits = Resources()
            limits.cpus = inner.number("cpus")
            limits.memory = inner.bytes("memory")
            limits.pids = inner.integer("pids", in: -1...Int64.max)
            inner.finish()
            resources.limits = limits
        }
        if var inner = fields.fields("reservations") {
            var reservations = Resources()
            reservations.cpus = inner.number("cpus")
            reservations.memory = inner.bytes("memory")
            reservations.devices = inner.items("devices").map {
                decodeDeviceRequest($0, path: "\(inner.path).devices", needsCapabilities: true)
            }
            reservations.genericResources = decodeGenericResources(&inner)
            inner.finish()
            resources.reservations = reservations
        }
        fields.finish()
        return resources
    }

    private func decodeGenericResources(_ fields: inout Fields) -> [GenericResource] {
        fields.items("generic_resources").compactMap { item in
            var outer = Fields(item, path: "\(fields.path).generic_resources", state: state)
            defer { outer.finish() }
            guard var inner = outer.fields("discrete_resource_spec") else { return nil }
            defer { inner.finish() }
            guard let kind = inner.string("kind"), let value = inner.integer("value") else { return nil }
            return GenericResource(kind: kind, value: value)
        }
    }

    private func decodeRestartPolicy(_ outer: inout Fields) -> DeployRestartPolicy? {
        guard var fields = outer.fields("restart_policy") else { return nil }
        var policy = DeployRestartPolicy()
        // docker compose takes the words of `restart` too, and means the same by them.
        let condition = fields.choice(
            "condition", of: ["none", "on-failure", "any", "no", "always", "unless-stopped"])
        policy.condition = ["no": "none", "always": "any", "unless-stopped": "any"][condition ?? ""] ?? condition
        policy.delay = fields.duration("delay")
        policy.maxAttempts = fields.count("max_attempts")
        policy.window = fields.duration("window")
        fields.finish()
        return policy
    }

    private func decodePlacement(_ outer: inout Fields) -> Placement? {
        guard var fields = outer.fields("placement") else { return nil }
        var placement = Placement()
        placement.constraints = fields.strings("constraints")
        placement.maxReplicasPerNode = fields.count("max_replicas_per_node")
        placement.preferences = fields.items("preferences").compactMap { item in
            var inner = Fields(item, path: "\(fields.path).preferences", state: state)
            let spread = inner.string("spread")
            inner.finish()
            return spread
        }
        fields.finish()
        return placement
    }
}
