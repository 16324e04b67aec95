import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

extension PodStage {
    /// The keys of a service that are about its pod.
    mutating func addPodKeys(_ workload: ServiceWorkload, to pod: inout PodDraft) {
        addAnnotations(workload, to: &pod)
        addNamespaces(workload, to: &pod)
        addHostNames(workload, to: &pod)
        addResolution(workload, to: &pod)
        addPodmanSettings(workload, to: &pod)
        addGroupsAndSysctls(workload, to: &pod)
        addPlacement(workload, to: &pod)
        addKomposeLabels(workload, to: &pod)
        addRuntime(workload, to: &pod)
        if workload.service.initProcess == true { pod.spec.shareProcessNamespace = true }
        guard workload.kind != .initContainer else { return }
        let grace = workload.service.stopGracePeriod.map(Quantities.seconds) ?? 10
        pod.spec.terminationGracePeriodSeconds = max(grace, pod.spec.terminationGracePeriodSeconds ?? 0)
    }

    /// A runtime that was asked for may be what keeps a program locked up: another one is not a substitute.
    private mutating func addRuntime(_ workload: ServiceWorkload, to pod: inout PodDraft) {
        guard let runtime = workload.service.runtime, !runtime.isEmpty else { return }
        guard can(.anyNames) || Names.isSubdomain(runtime) else {
            return refuse(
                workload, "runtime", "\(runtime) cannot be the name of a RuntimeClass",
                hint: "write the name of one that the cluster has: kubectl get runtimeclass")
        }
        set(\.runtimeClassName, to: runtime, key: "runtime", of: workload, in: &pod)
    }

    /// What holds for every pod of the deployment.
    mutating func finish(_ pod: inout PodDraft, group: Group) {
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
            require(LabelSelectorRequirement(key: affinity.label, operator: "In", values: [affinity.value]), in: &pod)
        }
        let tolerations = spec.nodeTolerations.map { toleration in
            toleration.value.isEmpty
                ? Toleration(key: toleration.key, operator: "Exists")
                : Toleration(key: toleration.key, operator: "Equal", value: toleration.value)
        }
        if !tolerations.isEmpty { pod.spec.tolerations = tolerations }
        addPodDefaults(to: &pod, group: group)
        addSpecLabels(group, to: &pod)
        pod.labels.merge(networkLabels(group)) { _, own in own }
    }

    /// A node must meet the requirement.
    func require(_ requirement: LabelSelectorRequirement, in pod: inout PodDraft) {
        let terms = pod.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
        var requirements = terms?.first?.matchExpressions ?? []
        if !requirements.contains(requirement) { requirements.append(requirement) }
        pod.spec.affinity = Affinity(required: requirements)
    }

    /// Labels and annotations of the spec; `{name}` is the service.
    private mutating func addSpecLabels(_ group: Group, to pod: inout PodDraft) {
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

    /// annotations, and labels as annotations: their values are not safe as labels.
    private mutating func addAnnotations(_ workload: ServiceWorkload, to pod: inout PodDraft) {
        for (key, list) in [("labels", workload.service.labels), ("annotations", workload.service.annotations)] {
            for (name, value) in list where name != ServiceWorkload.initLabel {
                if isAnnotation(name, key, workload) { pod.annotations[name] = value }
            }
        }
    }
}
