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

extension Renderer {
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

    mutating func reportTopLevel() {
        var seen: Set<String> = []
        for entry in topLevelKeys {
            guard let row = KeyMapping.row(entry.place, entry.key) else { continue }
            let identity = "\(entry.path.dropLast(entry.key.utf8.count))\(row.key)"
            guard seen.insert(identity).inserted else { continue }
            switch entry.isDefault ? .ignored("") : row.outcome {
            case .reported(let consequence): reportTop(identity, at: entry.mark, consequence)
            case .refused: diagnostics.error("`\(identity)`: \(row.outcome.summary.text)", at: entry.mark)
            case .mapped, .loaded, .ignored: continue
            }
        }
    }

    /// Names a key outside the services that is not honoured.
    mutating func reportTop(_ path: String, at mark: Mark?, _ consequence: String) {
        if options.isStrict {
            diagnostics.error(
                "`\(path)`: \(consequence)", at: mark, hint: "remove the key, or render without --strict")
        } else {
            diagnostics.warning("`\(path)`: \(consequence)", at: mark)
        }
    }

    func topLevelDispositions() -> [KeyDisposition] {
        topLevelKeys.compactMap { entry in
            KeyMapping.row(entry.place, entry.key).map {
                KeyDisposition(service: nil, key: entry.path, mark: entry.mark, outcome: $0.outcome)
            }
        }
    }
}
