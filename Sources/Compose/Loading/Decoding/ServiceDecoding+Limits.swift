import OrderedCollections
import YAML

extension ServiceDecoder {
    func decodeLimits(_ fields: inout Fields, _ service: inout Service) {
        service.cpus = fields.number("cpus")
        service.cpuCount = fields.integer("cpu_count", in: 0...Int64.max)
        service.cpuPercent = fields.number("cpu_percent")
        service.cpuShares = fields.integer("cpu_shares")
        service.cpuQuota = fields.integer("cpu_quota")
        service.cpuPeriod = decodeMicroseconds(&fields, "cpu_period")
        service.cpuRtPeriod = decodeMicroseconds(&fields, "cpu_rt_period")
        service.cpuRtRuntime = decodeMicroseconds(&fields, "cpu_rt_runtime")
        service.cpuset = fields.string("cpuset")
        service.memLimit = fields.bytes("mem_limit")
        service.memReservation = fields.bytes("mem_reservation")
        service.memswapLimit = fields.bytes("memswap_limit", allowsUnlimited: true)
        service.memSwappiness = fields.integer("mem_swappiness", in: -1...100)
        service.pidsLimit = fields.integer("pids_limit", in: -1...Int64.max)
        service.oomKillDisable = fields.bool("oom_kill_disable")
        service.oomScoreAdj = fields.integer("oom_score_adj", in: -1000...1000)
        service.ulimits = decodeUlimits(&fields)
        service.blkioConfig = decodeBlkio(&fields)
        service.gpus = fields.items("gpus").map { decodeDeviceRequest($0, path: "\(fields.path).gpus") }
        service.deviceCgroupRules = fields.strings("device_cgroup_rules")
    }

    /// Microseconds, as a number or as a duration.
    private func decodeMicroseconds(_ fields: inout Fields, _ key: String) -> Int64? {
        guard let node = fields.node(key), let text = fields.text(node, key) else { return nil }
        if Int64(text) == nil, let duration = ComposeDuration.parse(text) {
            return duration.components.seconds * 1_000_000 + duration.components.attoseconds / 1_000_000_000_000
        }
        return fields.integer(node, key)
    }

    func decodeUlimits(_ fields: inout Fields) -> OrderedDictionary<String, Ulimit> {
        var result: OrderedDictionary<String, Ulimit> = [:]
        for (name, node) in fields.pairs("ulimits") {
            let path = "\(fields.path).ulimits.\(name)"
            guard node.mapping != nil else {
                if let value = fields.integer(node, "ulimits.\(name)", in: -1...Int64.max) {
                    result[name] = Ulimit(soft: value, hard: value)
                }
                continue
            }
            var inner = Fields(node, path: path, state: state)
            let soft = inner.integer("soft", in: -1...Int64.max)
            let hard = inner.integer("hard", in: -1...Int64.max)
            inner.finish()
            guard let soft, let hard else {
                state.error("`\(path)` needs both soft and hard", at: node.mark, hint: "write both, or one number")
                continue
            }
            result[name] = Ulimit(soft: soft, hard: hard)
        }
        return result
    }

    private func decodeBlkio(_ fields: inout Fields) -> BlkioConfig? {
        guard var inner = fields.fields("blkio_config") else { return nil }
        var config = BlkioConfig()
        config.weight = inner.integer("weight")
        config.weightDevice = decodeDevices(&inner, "weight_device", value: "weight")
        config.deviceReadBps = decodeDevices(&inner, "device_read_bps", value: "rate")
        config.deviceReadIops = decodeDevices(&inner, "device_read_iops", value: "rate")
        config.deviceWriteBps = decodeDevices(&inner, "device_write_bps", value: "rate")
        config.deviceWriteIops = decodeDevices(&inner, "device_write_iops", value: "rate")
        inner.finish()
        return config
    }

    private func decodeDevices(_ fields: inout Fields, _ key: String, value: String) -> [BlkioConfig.Device] {
        fields.items(key).compactMap { item in
            var inner = Fields(item, path: "\(fields.path).\(key)", state: state)
            let path = inner.string("path")
            let number = value == "rate" ? inner.bytes("rate") : inner.integer("weight")
            inner.finish()
            guard let path, let number else {
                state.error(
                    "`\(fields.path).\(key)` has an entry without path or \(value)", at: item.mark, hint: "write both")
                return nil
            }
            return BlkioConfig.Device(path: path, value: number)
        }
    }

    func decodeDeviceRequest(_ item: Node, path: String, needsCapabilities: Bool = false) -> DeviceRequest {
        var fields = Fields(item, path: path, state: state)
        var request = DeviceRequest(mark: item.mark)
        request.capabilities = fields.strings("capabilities")
        request.driver = fields.string("driver")
        request.deviceIDs = fields.strings("device_ids")
        request.options = fields.map("options")
        if let node = fields.node("count") {
            if node.text?.lowercased() == "all" || node.text == "-1" {
                request.count = .all
            } else if let count = fields.integer(node, "count", in: 0...Int64(Int32.max)) {
                request.count = .number(Int(count))
            }
        }
        fields.finish()
        if request.count != nil, !request.deviceIDs.isEmpty {
            state.error("`\(path)` has both count and device_ids", at: item.mark, hint: "keep one of them")
        }
        if needsCapabilities, request.capabilities.isEmpty {
            state.error("`\(path)` has an entry without capabilities", at: item.mark, hint: "write capabilities: [gpu]")
        }
        if request.count == nil, request.deviceIDs.isEmpty { request.count = .all }
        return request
    }

    func decodeIsolation(_ fields: inout Fields, _ service: inout Service) {
        service.privileged = fields.bool("privileged")
        service.capAdd = fields.strings("cap_add")
        service.capDrop = fields.strings("cap_drop")
        service.securityOpt = fields.strings("security_opt")
        service.sysctls = fields.map("sysctls")
        service.ipc = fields.string("ipc")
        service.pid = fields.string("pid")
        service.uts = fields.string("uts")
        service.usernsMode = fields.string("userns_mode")
        service.cgroup = fields.choice("cgroup", of: ["host", "private"])
        service.cgroupParent = fields.string("cgroup_parent")
        service.isolation = fields.string("isolation")
        service.runtime = fields.string("runtime")
    }
}
