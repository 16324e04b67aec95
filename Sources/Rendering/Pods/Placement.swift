import Compose
import KubernetesObjects

/// Renders a service's platform and deploy.placement.
struct PlacementStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        if let platform = workload.service.platform { addPlatform(platform) }
        for constraint in workload.service.deploy?.placement?.constraints ?? [] {
            addConstraint(constraint)
        }
        for preference in workload.service.deploy?.placement?.preferences ?? [] {
            guard let key = nodeLabel(preference) else {
                report(
                    workload, "deploy.placement.preferences", "\(preference) is not a label of nodes and is left out")
                continue
            }
            let group = groupOfWorkload[workload.index].map { groups[$0].name } ?? workload.name
            var constraints = pod.spec.topologySpreadConstraints ?? []
            // The API refuses a second one of the same label.
            guard !constraints.contains(where: { $0.topologyKey == key }) else { continue }
            constraints.append(
                TopologySpreadConstraint(topologyKey: key, labelSelector: LabelSelector(matchLabels: selector(group))))
            pod.spec.topologySpreadConstraints = constraints
        }
    }

    /// `linux/arm64/v8`, `linux/amd64`, `arm64`.
    private mutating func addPlatform(_ platform: String) {
        let parts = platform.lowercased().split(separator: "/").map(String.init)
        let systems: Set<String> = ["linux", "windows"]
        var selector = pod.spec.nodeSelector ?? [:]
        var architecture = parts.first
        if let first = parts.first, systems.contains(first) {
            selector["kubernetes.io/os"] = first
            architecture = parts.count > 1 ? parts[1] : nil
        }
        let synonyms = [
            "x86_64": "amd64", "x86-64": "amd64", "aarch64": "arm64", "armhf": "arm", "armel": "arm", "i386": "386",
        ]
        if let architecture, Names.isLabelValue(architecture), !architecture.isEmpty {
            selector["kubernetes.io/arch"] = synonyms[architecture] ?? architecture
        } else if let architecture {
            report(workload, "platform", "invalid architecture \(architecture): the pod may run on any node")
        }
        guard !selector.isEmpty else { return }
        set(\.nodeSelector, to: selector, key: "platform", of: workload)
    }

    /// `node.labels.disk == ssd`, `node.role != manager`.
    ///
    /// Rule: Swarm's constraints, <https://docs.docker.com/reference/cli/docker/service/create/#constraint>.
    private mutating func addConstraint(_ constraint: String) {
        let operators = ["==": "In", "!=": "NotIn"]
        for (symbol, comparison) in operators.sorted(by: { $0.key > $1.key }) {
            guard let range = constraint.firstRange(of: symbol) else { continue }
            let name = trimmed(constraint[..<range.lowerBound])
            let value = trimmed(constraint[range.upperBound...])
            if name == "node.role" {
                let isManager = (value == "manager") == (comparison == "In")
                pod.require(
                    LabelSelectorRequirement(
                        key: "node-role.kubernetes.io/control-plane", operator: isManager ? "Exists" : "DoesNotExist"))
                return
            }
            guard let key = nodeLabel(name), !value.isEmpty, Names.isLabelValue(value) else { break }
            let normal = key == "kubernetes.io/arch" && value == "x86_64" ? "amd64" : value
            pod.require(LabelSelectorRequirement(key: key, operator: comparison, values: [normal]))
            return
        }
        report(workload, "deploy.placement.constraints", "`\(constraint)` has no equivalent and is left out")
    }

    /// The label of Kubernetes' nodes for one of Swarm's attributes.
    private func nodeLabel(_ attribute: String) -> String? {
        switch attribute {
        case "node.hostname": return "kubernetes.io/hostname"
        case "node.platform.os": return "kubernetes.io/os"
        case "node.platform.arch": return "kubernetes.io/arch"
        default: break
        }
        guard attribute.hasPrefix("node.labels.") else { return nil }
        let label = String(attribute.dropFirst("node.labels.".count))
        return Names.isQualifiedName(label) ? label : nil
    }

    private func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = text.firstIndex(where: { !isSpace($0) }), let last = text.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(text[first...last])
    }
}
