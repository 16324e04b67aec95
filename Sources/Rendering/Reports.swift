import Compose
import OrderedCollections
import YAML

extension Renderer {
    /// Names a key of a service that is not, or not wholly, honoured: a warning, under `--strict` an error.
    mutating func report(
        _ workload: ServiceWorkload, _ key: String, at mark: Mark? = nil, _ consequence: String, hint: String? = nil
    ) {
        let what = "service \(workload.service.name): `\(key)`: \(consequence)"
        let place = mark ?? workload.service.mark(of: key)
        decided[DecidedKey(workload: workload.index, key: key)] = .reported(consequence)
        if options.isStrict {
            diagnostics.error(what, at: place, hint: hint ?? "remove the key, or render without --strict")
        } else {
            diagnostics.warning(what, at: place, hint: hint)
        }
    }

    /// Names a key of a service that cannot be honoured: an error.
    mutating func refuse(
        _ workload: ServiceWorkload, _ key: String, at mark: Mark? = nil, _ reason: String, hint: String
    ) {
        decided[DecidedKey(workload: workload.index, key: key)] = .refused(reason: reason)
        diagnostics.error(
            "service \(workload.service.name): `\(key)`: \(reason)", at: mark ?? workload.service.mark(of: key),
            hint: hint)
    }

    /// Reports each key of a service for which the table has no equivalent; a value's own report goes before the table's.
    mutating func reportKeys(_ workload: ServiceWorkload) {
        if workload.service.isolation == "default" {
            decided[DecidedKey(workload: workload.index, key: "isolation")] = .ignored("what there is anyway")
        }
        reportNestedKeys(workload)
        // Most keys are honoured, and need not be brought into order.
        let wanting = workload.service.keys.filter { !(rows.row($0.key)?.outcome.isHonoured ?? false) }
        var seen: Set<String> = []
        for (key, mark) in wanting.sorted(by: Self.isBefore) {
            guard let row = rows.row(key) else {
                report(workload, key, at: mark, "this version of so does not know the key")
                continue
            }
            guard decided[DecidedKey(workload: workload.index, key: row.key)] == nil, seen.insert(row.key).inserted
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

    /// Keys below names and items that the author chose: of networks, ports and storage.
    private mutating func reportNestedKeys(_ workload: ServiceWorkload) {
        for (name, network) in workload.service.networks {
            for (key, mark) in network.keys.sorted(by: Self.isBefore)
            where !(key == "interface_name" && network.interfaceName == "eth0")
                && !(key == "ipv4_address" && hasFixedAddress(workload, name))
            {
                guard case .reported(let consequence)? = rows.row("networks.*.\(key)")?.outcome else { continue }
                report(workload, "networks.\(name).\(key)", at: mark, consequence)
            }
        }
        for port in workload.service.ports where port.mode == "host" && !options.can(.oneHost) {
            guard case .reported(let consequence)? = rows.row("ports.[].mode")?.outcome else { continue }
            report(workload, "ports.[].mode", at: port.mark, "host: \(consequence)")
        }
        reportBuildKeys(workload)
        reportDeviceOptions(workload)
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

    private mutating func reportBuildKeys(_ workload: ServiceWorkload) {
        guard let build = workload.service.build else { return }
        if build.platforms.count > 1 {
            report(workload, "build.platforms", "the image is built for \(build.platforms[0]) alone")
        }
        for secret in build.secrets {
            let written = [("uid", secret.uid != nil), ("gid", secret.gid != nil), ("mode", secret.mode != nil)]
            for (key, isWritten) in written where isWritten {
                guard case .reported(let consequence)? = rows.row("build.secrets.[].\(key)")?.outcome else { continue }
                report(workload, "build.secrets.[].\(key)", at: secret.mark, consequence)
            }
        }
    }

    private static func isBefore(_ one: (key: String, value: Mark), _ other: (key: String, value: Mark)) -> Bool {
        let (left, right) = (one.value, other.value)
        if left.file != right.file { return left.file < right.file }
        if left.line != right.line { return left.line < right.line }
        if left.column != right.column { return left.column < right.column }
        return one.key < other.key
    }

    /// What became of every key, in the order of the files.
    mutating func dispositions() -> [KeyDisposition] {
        var result: [KeyDisposition] = []
        for workload in workloads {
            for (key, mark) in workload.service.keys.sorted(by: Self.isBefore) {
                guard let row = rows.row(key) else { continue }
                let outcome =
                    decided[DecidedKey(workload: workload.index, key: key)]
                    ?? decided[DecidedKey(workload: workload.index, key: row.key)] ?? row.outcome
                result.append(KeyDisposition(service: workload.service.name, key: key, mark: mark, outcome: outcome))
            }
        }
        return result + topLevelDispositions()
    }
}

/// The rows of services' keys, each looked up once: services have the same keys over and over.
struct ServiceKeyRows {
    private var known: [String: KeyMapping?] = [:]

    /// See ``KeyMapping/row(_:_:)``.
    mutating func row(_ key: String) -> KeyMapping? {
        if let row = known[key] { return row }
        let row = KeyMapping.row(.service, key)
        known[key] = .some(row)
        return row
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
