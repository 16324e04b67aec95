import Compose
import OrderedCollections
import YAML

/// What the stages find, and what they decide about keys: handed from each to the next.
struct ReportCollector {
    /// A key of a workload's service.
    struct DecidedKey: Hashable {
        var workload: Int
        var key: String
    }

    private(set) var diagnostics = Diagnostics()
    /// Outcomes that a value decided, over the table's.
    private var decided: [DecidedKey: KeyMapping.Outcome] = [:]
    private var told: Set<String> = []
    /// The rows of services' keys, each looked up once: services have the same keys over and over.
    private var rows: [String: KeyMapping?] = [:]

    mutating func error(_ what: String, at mark: Mark?, hint: String? = nil) {
        diagnostics.error(what, at: mark, hint: hint)
    }

    mutating func warning(_ what: String, at mark: Mark?, hint: String? = nil) {
        diagnostics.warning(what, at: mark, hint: hint)
    }

    mutating func append(_ diagnostic: Diagnostic) { diagnostics.append(contentsOf: [diagnostic]) }

    /// Whether something is said for the first time: a config that three services mount is missing once.
    mutating func isFirst(_ what: String) -> Bool { told.insert(what).inserted }

    /// What became of a key of a service, where its value decided that.
    subscript(workload: ServiceWorkload, key: String) -> KeyMapping.Outcome? {
        get { decided[DecidedKey(workload: workload.index, key: key)] }
        set { decided[DecidedKey(workload: workload.index, key: key)] = newValue }
    }

    /// See ``KeyMapping/row(_:_:)``.
    mutating func row(_ key: String) -> KeyMapping? {
        if let row = rows[key] { return row }
        let row = KeyMapping.row(.service, key)
        rows[key] = .some(row)
        return row
    }
}

extension ReportCollector: CustomStringConvertible {
    var description: String { diagnostics.list.map(\.description).joined(separator: "\n") }
}

extension ReportingStage {
    /// Names a key of a service that is not, or not wholly, honoured: a warning, under `--strict` an error.
    mutating func report(
        _ workload: ServiceWorkload, _ key: String, at mark: Mark? = nil, _ consequence: String, hint: String? = nil
    ) {
        let what = "service \(workload.service.name): `\(key)`: \(consequence)"
        let place = mark ?? workload.service.mark(of: key)
        reports[workload, key] = .reported(consequence)
        if options.isStrict {
            reports.error(what, at: place, hint: hint ?? "remove the key, or render without --strict")
        } else {
            reports.warning(what, at: place, hint: hint)
        }
    }

    /// Names a key of a service that cannot be honoured: an error.
    mutating func refuse(
        _ workload: ServiceWorkload, _ key: String, at mark: Mark? = nil, _ reason: String, hint: String
    ) {
        reports[workload, key] = .refused(reason: reason)
        reports.error(
            "service \(workload.service.name): `\(key)`: \(reason)", at: mark ?? workload.service.mark(of: key),
            hint: hint)
    }

    /// Names a key outside the services that is not honoured.
    mutating func reportTop(_ path: String, at mark: Mark?, _ consequence: String) {
        if options.isStrict {
            reports.error(
                "`\(path)`: \(consequence)", at: mark, hint: "remove the key, or render without --strict")
        } else {
            reports.warning("`\(path)`: \(consequence)", at: mark)
        }
    }
}
