import Compose
import OrderedCollections
import YAML

/// Reports each key of a service for which the table has no equivalent; a value's own report goes before the table's.
struct KeyReportStep: PodStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var reports = ReportCollector()

    mutating func run() {
        if workload.service.isolation == "default" {
            reports[workload, "isolation"] = .ignored("what there is anyway")
        }
        reportNestedKeys()
        // Most keys are honoured, and need not be brought into order.
        let wanting = workload.service.keys.filter { !(reports.row($0.key)?.outcome.isHonoured ?? false) }
        var seen: Set<String> = []
        for (key, mark) in wanting.sorted(by: Mark.isBefore) {
            guard let row = reports.row(key) else {
                report(workload, key, at: mark, "this version of so does not know the key")
                continue
            }
            guard reports[workload, row.key] == nil, seen.insert(row.key).inserted
            else {
                continue
            }
            switch row.outcome {
            case .reported(let consequence): report(workload, row.key, at: mark, consequence)
            case .refused(let reason, let hint): refuse(workload, row.key, at: mark, reason, hint: hint ?? "remove it")
            case .mapped, .loaded, .ignored: continue
            }
        }
    }

    /// Keys below names and items that the author chose: of networks, ports and shared.storage.
    private mutating func reportNestedKeys() {
        for (name, network) in workload.service.networks {
            for (key, mark) in network.keys.sorted(by: Mark.isBefore)
            where !(key == "interface_name" && network.interfaceName == "eth0")
                && !(key == "ipv4_address" && hasFixedAddress(workload, name))
            {
                guard case .reported(let consequence)? = reports.row("networks.*.\(key)")?.outcome else { continue }
                report(workload, "networks.\(name).\(key)", at: mark, consequence)
            }
        }
        for port in workload.service.ports where port.mode == "host" && !can(.oneHost) {
            guard case .reported(let consequence)? = reports.row("ports.[].mode")?.outcome else { continue }
            report(workload, "ports.[].mode", at: port.mark, "host: \(consequence)")
        }
        reportBuildKeys()
        reportDeviceOptions()
        for mount in workload.service.volumes where mount.volume?.labels.isEmpty == false {
            report(
                workload, "volumes.[].volume.labels", at: mount.mark,
                "the volume has the labels of its own section only",
                hint: "write them under the top-level `volumes:`")
        }
        for name in workload.service.storageOpt.keys where name != "size" {
            report(workload, "storage_opt", "\(name) has no equivalent and is left out")
        }
    }

    private mutating func reportBuildKeys() {
        guard let build = workload.service.build else { return }
        if build.platforms.count > 1 {
            report(workload, "build.platforms", "the image is built for \(build.platforms[0]) alone")
        }
        for secret in build.secrets {
            let written = [("uid", secret.uid != nil), ("gid", secret.gid != nil), ("mode", secret.mode != nil)]
            for (key, isWritten) in written where isWritten {
                guard case .reported(let consequence)? = reports.row("build.secrets.[].\(key)")?.outcome else {
                    continue
                }
                report(workload, "build.secrets.[].\(key)", at: secret.mark, consequence)
            }
        }
    }

    /// What a request for devices says besides which and how many: the container has all that a device can do.
    private mutating func reportDeviceOptions() {
        for (key, requests) in workload.deviceRequests {
            for request in requests where !request.options.isEmpty {
                report(
                    workload, "\(key).[].options", at: request.mark,
                    "\(request.options.keys.joined(separator: ", ")) mean nothing to Kubernetes and podman")
            }
        }
    }
}

extension KeyMapping.Outcome {
    /// Whether nothing has to be said of the key.
    fileprivate var isHonoured: Bool {
        switch self {
        case .mapped, .loaded, .ignored: true
        case .reported, .refused: false
        }
    }
}

extension Mark {
    /// The order of the files.
    static func isBefore(_ one: (key: String, value: Mark), _ other: (key: String, value: Mark)) -> Bool {
        let (left, right) = (one.value, other.value)
        if left.file != right.file { return left.file < right.file }
        if left.line != right.line { return left.line < right.line }
        if left.column != right.column { return left.column < right.column }
        return one.key < other.key
    }
}
