import KubernetesObjects
import Rendering
import SystemCrypto

/// The rendered objects by what refers to them.
struct ObjectIndex: Sendable {
    private(set) var configMaps: [String: ConfigMap] = [:]
    private(set) var claims: [String: PersistentVolumeClaim] = [:]
    private(set) var volumes: [String: PersistentVolume] = [:]
    private(set) var services: [Service] = []
    private(set) var endpoints: [EndpointSlice] = []
    private var isolated: [[String: String]] = []
    private var replicaCounts: [String: Int] = [:]
    private var backoffLimits: [String: Int] = [:]

    init(_ rendered: RenderedDeployment) {
        for object in rendered.objects {
            switch object {
            case .configMap(let value): configMaps[object.name] = value
            case .persistentVolumeClaim(let value): claims[object.name] = value
            case .persistentVolume(let value): volumes[object.name] = value
            case .service(let value): services.append(value)
            case .endpointSlice(let value): endpoints.append(value)
            case .networkPolicy(let value) where value.deniesAll:
                isolated.append(value.spec.podSelector.matchLabels?.values ?? [:])
            case .deployment(let value): replicaCounts[object.name] = value.spec.replicas ?? 1
            case .job(let value):
                backoffLimits[object.name] = value.spec.backoffLimit ?? 6
                replicaCounts[object.name] = value.spec.parallelism ?? 1
            default: continue
            }
        }
    }

    /// Whether the pod of these labels is allowed no traffic at all: `network_mode: none`.
    func isIsolated(_ labels: [String: String]) -> Bool {
        isolated.contains { selector in !selector.isEmpty && selector.allSatisfy { labels[$0.key] == $0.value } }
    }

    /// One for a DaemonSet: there is one node.
    func replicas(_ workload: Workload) -> Int { replicaCounts[workload.name] ?? 1 }

    func backoffLimit(_ workload: Workload) -> Int { backoffLimits[workload.name] ?? 0 }

    /// The content of a ConfigMap by key.
    func content(ofConfigMap name: String) -> [String: [UInt8]]? {
        guard let map = configMaps[name] else { return nil }
        var content = (map.data?.values ?? [:]).mapValues { Array($0.utf8) }
        for (key, text) in map.binaryData?.values ?? [:] { content[key] = decodedBase64(text) }
        return content
    }
}

extension NetworkPolicy {
    /// Whether the selected pods are allowed no traffic in either direction.
    var deniesAll: Bool {
        Set(spec.policyTypes) == ["Ingress", "Egress"] && (spec.ingress ?? []).isEmpty && (spec.egress ?? []).isEmpty
    }
}

/// The bytes of a base64 text; empty for one that is none, which no renderer emits.
func decodedBase64(_ text: String) -> [UInt8] { base64Decoded(text) ?? [] }
