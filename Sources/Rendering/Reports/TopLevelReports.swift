import Compose
import OrderedCollections
import Specs
import YAML

/// A key of a network, volume, config or secret.
struct TopLevelKey {
    var place: KeyMapping.Place
    /// `networks.front.ipam`.
    var path: String
    var key: String
    var mark: Mark
    /// Whether its value is what there is without it.
    var isDefault: Bool
}

/// Reports the keys outside of services; it returns what became of every key, where that is asked for.
struct TopLevelReporter: NetworkedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    let separatesNetworks: Bool
    var reports = ReportCollector()

    mutating func run() -> [KeyDisposition] {
        reportTopLevel()
        reportReservedLabels()
        return options.listsDispositions ? dispositions() : []
    }
}

extension TopLevelReporter {
    /// The keys of networks, volumes, configs and secrets, with where they stand and how they are addressed.
    private var topLevelKeys: [TopLevelKey] {
        var result: [TopLevelKey] = []
        func add(
            _ place: KeyMapping.Place, _ path: String, _ keys: [String: Mark], defaults: Set<String> = []
        ) {
            for (key, mark) in keys.sorted(by: { ($0.value.line, $0.key) < ($1.value.line, $1.key) }) {
                result.append(
                    TopLevelKey(
                        place: place, path: "\(path).\(key)", key: key, mark: mark, isDefault: defaults.contains(key)))
            }
        }
        for project in [layered.project] + layered.jobs.values {
            for network in project.networks.values {
                add(.network, "networks.\(network.key)", network.keys, defaults: defaults(of: network))
            }
            for volume in project.volumes.values { add(.volume, "volumes.\(volume.key)", volume.keys) }
            for config in project.configs.values { add(.config, "configs.\(config.key)", config.keys) }
            for secret in project.secrets.values { add(.secret, "secrets.\(secret.key)", secret.keys) }
        }
        return result
    }

    /// Keys that ask for what there is anyway.
    private func defaults(of network: Network) -> Set<String> {
        var result: Set<String> = []
        if ["bridge", "default"].contains(network.driver) { result.insert("driver") }
        if network.isInternal == false || spec.network.isolates || separatesNetworks { result.insert("internal") }
        if isAddressingHonoured(network) { result.insert("ipam") }
        if network.enableIPv4 == true { result.insert("enable_ipv4") }
        if network.enableIPv6 == false { result.insert("enable_ipv6") }
        return result
    }

    private mutating func reportTopLevel() {
        var seen: Set<String> = []
        for entry in topLevelKeys {
            guard let row = KeyMapping.row(entry.place, entry.key) else { continue }
            let identity = "\(entry.path.dropLast(entry.key.utf8.count))\(row.key)"
            guard seen.insert(identity).inserted else { continue }
            switch entry.isDefault ? .ignored("") : row.outcome {
            case .reported(let consequence): reportTop(identity, at: entry.mark, consequence)
            case .refused: reports.error("`\(identity)`: \(row.outcome.summary.text)", at: entry.mark)
            case .mapped, .loaded, .ignored: continue
            }
        }
    }

    private func topLevelDispositions() -> [KeyDisposition] {
        topLevelKeys.compactMap { entry in
            KeyMapping.row(entry.place, entry.key).map {
                KeyDisposition(service: nil, key: entry.path, mark: entry.mark, outcome: $0.outcome)
            }
        }
    }

    /// What became of every key, in the order of the files.
    private mutating func dispositions() -> [KeyDisposition] {
        var result: [KeyDisposition] = []
        for workload in workloads {
            for (key, mark) in workload.service.keys.sorted(by: Mark.isBefore) {
                guard let row = reports.row(key) else { continue }
                let outcome =
                    reports[workload, key] ?? reports[workload, row.key] ?? row.outcome
                result.append(KeyDisposition(service: workload.service.name, key: key, mark: mark, outcome: outcome))
            }
        }
        return result + topLevelDispositions()
    }

    /// Reports the labels of volumes, configs and secrets that are left out.
    private mutating func reportReservedLabels() {
        for project in [layered.project] + layered.jobs.values {
            for (key, volume) in project.volumes { report(volume.labels.keys, of: "volumes.\(key)", at: volume.mark) }
            for (key, config) in project.configs { report(config.labels.keys, of: "configs.\(key)", at: config.mark) }
            for (key, secret) in project.secrets {
                report(secret.labels.keys, of: "secrets.\(key)", at: secret.mark)
            }
        }
    }

    private mutating func report(_ names: some Sequence<String>, of path: String, at mark: Mark) {
        for name in names where Keys.isReserved(name) {
            reportTop("\(path).labels", at: mark, "\(name) is left out" + Keys.reservation(name))
        }
    }
}
