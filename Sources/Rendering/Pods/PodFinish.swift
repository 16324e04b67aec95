import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Adds what holds for every pod of the deployment.
struct PodFinishStep: DraftingStep {
    let inputs: PodInputs
    let group: Group
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        // The node's own process 1 reaps zombies then, and Kubernetes takes one of the two only.
        if pod.spec.hostPID == true { pod.spec.shareProcessNamespace = nil }
        // Variables such as DB_PORT=tcp://… for every Service of the namespace would fall on programs that read such names.
        pod.spec.enableServiceLinks = false
        if let name = spec.security.runtimeClass {
            pod.spec.runtimeClassName = name
        } else if spec.security.unlimitedMemlock, can(.nodes) {
            pod.spec.runtimeClassName = memlockClass
        }
        if spec.security.unlimitedMemlock, can(.containerSettings) {
            for container in pod.spec.containers {
                pod.podman[container.name].limits.append(PodmanSettings.Limit(name: "memlock", soft: -1, hard: -1))
            }
        }
        if spec.imagePullSecret != nil {
            pod.spec.imagePullSecrets =
                [LocalObjectReference(name: StackSecretNames.registry)] + (pod.spec.imagePullSecrets ?? [])
        }
        for affinity in spec.nodeAffinities {
            pod.require(LabelSelectorRequirement(key: affinity.label, operator: "In", values: [affinity.value]))
        }
        let tolerations = spec.nodeTolerations.map { toleration in
            toleration.value.isEmpty
                ? Toleration(key: toleration.key, operator: "Exists")
                : Toleration(key: toleration.key, operator: "Equal", value: toleration.value)
        }
        if !tolerations.isEmpty { pod.spec.tolerations = tolerations }
        PodDefaultStep(inputs: inputs, group: group).run(on: &pod, reporting: &reports)
        addSpecLabels()
        pod.labels.merge(networkLabels(group)) { _, own in own }
    }

    /// Labels and annotations of the spec; `{name}` is the service.
    private mutating func addSpecLabels() {
        let name = workloads[group.workloads[0]].service.name
        for (key, value) in spec.annotations {
            let key = expand(key, name)
            guard Names.isQualifiedName(key), !Keys.isReserved(key) else {
                reports.error(
                    "`annotations`: \(key) cannot be an annotation's name" + Keys.reservation(key), at: value.mark,
                    hint: "rename it")
                continue
            }
            pod.annotations[key] = expand(value.value, name)
        }
        for (key, value) in spec.labels {
            let (key, text) = (expand(key, name), expand(value.value, name))
            if Keys.isReserved(key) {
                reports.error(
                    "`labels`: \(key) cannot be a label's name" + Keys.reservation(key), at: value.mark,
                    hint: "rename it")
                continue
            }
            guard Names.isQualifiedName(key), Names.isLabelValue(text) else {
                reports.error(
                    "`labels`: \(key): \(text) cannot be a label", at: value.mark,
                    hint: "use at most 63 letters, digits, `-`, `_` and `.`, or write it under `annotations`")
                continue
            }
            pod.labels[key] = text
        }
    }

    private func expand(_ text: String, _ name: String) -> String {
        guard let range = text.firstRange(of: "{name}") else { return text }
        return text[..<range.lowerBound] + name + expand(String(text[range.upperBound...]), name)
    }
}
