import Compose
import OrderedCollections
import YAML

extension Renderer {
    /// Names a key of a service that is not, or not wholly, honoured: a warning, under `--strict` an error.
    mutating func report(
        _ unit: ServiceWorkload, _ key: String, at mark: Mark? = nil, _ consequence: String, hint: String? = nil
    ) {
        let what = "service \(unit.service.name): `\(key)`: \(consequence)"
        let place = mark ?? unit.service.mark(of: key)
        decided[DecidedKey(unit: unit.index, key: key)] = .reported(consequence)
        if options.isStrict {
            diagnostics.error(what, at: place, hint: hint ?? "remove the key, or render without --strict")
        } else {
            diagnostics.warning(what, at: place, hint: hint)
        }
    }

    /// Names a key of a service that cannot be honoured: an error.
    mutating func refuse(_ unit: ServiceWorkload, _ key: String, at mark: Mark? = nil, _ reason: String, hint: String) {
        decided[DecidedKey(unit: unit.index, key: key)] = .refused(reason)
        diagnostics.error(
            "service \(unit.service.name): `\(key)`: \(reason)", at: mark ?? unit.service.mark(of: key), hint: hint)
    }

    /// Reports each key of a service for which the table has no equivalent; a value's own report goes before the table's.
    mutating func reportKeys(_ unit: ServiceWorkload) {
        if unit.service.isolation == "default" {
            decided[DecidedKey(unit: unit.index, key: "isolation")] = .noted("what there is anyway")
        }
        reportNestedKeys(unit)
        // Most keys are honoured, and need not be brought into order.
        let wanting = unit.service.keys.filter { !(rows.row($0.key)?.outcome.isHonoured ?? false) }
        var seen: Set<String> = []
        for (key, mark) in wanting.sorted(by: Self.isBefore) {
            guard let row = rows.row(key) else {
                report(unit, key, at: mark, "this version of so does not know the key")
                continue
            }
            guard decided[DecidedKey(unit: unit.index, key: row.key)] == nil, seen.insert(row.key).inserted else {
                continue
            }
            switch row.outcome {
            case .reported(let consequence): report(unit, row.key, at: mark, consequence)
            case .refused(let reason): refuseByTable(unit, row.key, reason, at: mark)
            case .mapped, .loaded, .noted: continue
            }
        }
    }

    /// Keys below names and items that the author chose: of networks, ports and storage.
    private mutating func reportNestedKeys(_ unit: ServiceWorkload) {
        for (name, network) in unit.service.networks {
            for (key, mark) in network.keys.sorted(by: Self.isBefore)
            where !(key == "interface_name" && network.interfaceName == "eth0")
                && !(key == "ipv4_address" && hasFixedAddress(unit, name))
            {
                guard case .reported(let consequence)? = rows.row("networks.*.\(key)")?.outcome else { continue }
                report(unit, "networks.\(name).\(key)", at: mark, consequence)
            }
        }
        for port in unit.service.ports where port.mode == "host" && !options.can(.oneHost) {
            guard case .reported(let consequence)? = rows.row("ports.[].mode")?.outcome else { continue }
            report(unit, "ports.[].mode", at: port.mark, "host: \(consequence)")
        }
        reportBuildKeys(unit)
        reportDeviceOptions(unit)
        for mount in unit.service.volumes where mount.volume?.labels.isEmpty == false {
            report(
                unit, "volumes.[].volume.labels", at: mount.mark, "the volume has the labels of its own section only",
                hint: "write them under the top-level `volumes:`")
        }
        for name in unit.service.storageOpt.keys where name != "size" {
            report(unit, "storage_opt", "\(name) has no equivalent and is left out")
        }
    }

    private mutating func reportBuildKeys(_ unit: ServiceWorkload) {
        guard let build = unit.service.build else { return }
        if build.platforms.count > 1 {
            report(unit, "build.platforms", "the image is built for \(build.platforms[0]) alone")
        }
        for secret in build.secrets {
            let written = [("uid", secret.uid != nil), ("gid", secret.gid != nil), ("mode", secret.mode != nil)]
            for (key, isWritten) in written where isWritten {
                guard case .reported(let consequence)? = rows.row("build.secrets.[].\(key)")?.outcome else { continue }
                report(unit, "build.secrets.[].\(key)", at: secret.mark, consequence)
            }
        }
    }

    private mutating func refuseByTable(_ unit: ServiceWorkload, _ key: String, _ text: String, at mark: Mark) {
        let parts = text.split(separator: ":", maxSplits: 1)
        refuse(
            unit, key, at: mark, String(parts[0]), hint: parts.count == 2 ? String(parts[1].dropFirst()) : "remove it")
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
        for unit in units {
            for (key, mark) in unit.service.keys.sorted(by: Self.isBefore) {
                guard let row = rows.row(key) else { continue }
                let outcome =
                    decided[DecidedKey(unit: unit.index, key: key)]
                    ?? decided[DecidedKey(unit: unit.index, key: row.key)] ?? row.outcome
                result.append(KeyDisposition(service: unit.service.name, key: key, mark: mark, outcome: outcome))
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
        case .mapped, .loaded, .noted: true
        case .reported, .refused: false
        }
    }
}
