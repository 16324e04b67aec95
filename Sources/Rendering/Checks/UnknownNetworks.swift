import Compose
import OrderedCollections
import Specs
import YAML

extension PodChecks {
    mutating func refuseUnknownNetworks() {
        for name in spec.network.disabledDNS where layered.project.networks[name.value] == nil {
            let near = nearest(name.value, in: Array(layered.project.networks.keys)).map { "did you mean \($0)?" }
            reports.error(
                "network.disable-dns: no network `\(name.value)`", at: name.mark,
                hint: near ?? "name a network of the compose files")
        }
    }
}
