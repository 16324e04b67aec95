import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// The labels of kompose that say something about the pod, and those that cannot be honoured as they stand; ``KeyMapping/kompose`` lists all.
struct KomposeLabelStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        guard workload.service.labels.keys.contains(where: { $0.hasPrefix("kompose.") }) else { return }
        addPullSecret()
        ScheduleReportStep(inputs: inputs, workload: workload).run(reporting: &reports)
        addInitContainer()
        let types = ServiceReach.allCases.map(\.rawValue)
        _ = komposeChoice("service.type", of: types, workload)
        checkNodePort()
        if let type = komposeChoice("controller.type", of: ["deployment", "daemonset"], workload) {
            let isDaemonSet = workload.kind == .daemonSet
            guard workload.schedule != nil || isDaemonSet != (type == "daemonset") else { return }
            report(
                workload, "labels.kompose.controller.type",
                "it is not a \(type): \(workload.schedule == nil ? "restart and deploy.mode" : "kompose.cronjob.schedule") decide"
            )
        }
    }

    private mutating func addPullSecret() {
        guard let name = kompose("image-pull-secret", workload) else { return }
        let label = "labels.kompose.image-pull-secret"
        guard Names.isLabel(name) else { return report(workload, label, "invalid Secret name \(name)") }
        guard can(.kubernetesObjects) else {
            return report(workload, label, "podman has no Secrets to pull with", hint: "log in with `podman login`")
        }
        let references = pod.spec.imagePullSecrets ?? []
        guard !references.contains(where: { $0.name == name }) else { return }
        pod.spec.imagePullSecrets = references + [LocalObjectReference(name: name)]
    }

    /// `kompose.init.containers.image`, with its name and command.
    private mutating func addInitContainer() {
        guard workload.kind != .initContainer, let image = kompose("init.containers.image", workload) else { return }
        let name = kompose("init.containers.name", workload).map(Names.label) ?? ""
        var step = Container(name: name.isEmpty ? Names.label("\(workload.name)-init") : name, image: image)
        step.imagePullPolicy = komposePullPolicy(workload) ?? spec.imagePullPolicy?.rawValue ?? "IfNotPresent"
        let words = kompose("init.containers.command", workload).map(Self.words) ?? []
        step.command = words.isEmpty ? nil : words.map { escapingReferences($0) }
        pod.spec.initContainers = (pod.spec.initContainers ?? []) + [step]
    }

    /// The words of `["a", "b"]` or `a, b`, as kompose reads them.
    private static func words(_ text: String) -> [String] {
        let blanks: Set<Character> = [" ", "\"", "'"]
        let list = text.drop { $0 == "[" || $0 == " " }.reversed().drop { $0 == "]" || $0 == " " }.reversed()
        return list.split(separator: ",").map { word in
            String(word.drop(while: blanks.contains).reversed().drop(while: blanks.contains).reversed())
        }.filter { !$0.isEmpty }
    }

    private mutating func checkNodePort() {
        guard let text = kompose("service.nodeport.port", workload) else { return }
        let label = "labels.kompose.service.nodeport.port"
        if komposeNodePort(workload) == nil {
            report(workload, label, "invalid node port \(text)", hint: "write one of 30000 to 32767")
        } else if komposeReach(workload) != .nodePort || listeners(workload).count != 1 {
            report(
                workload, label, "it has no effect",
                hint: "set kompose.service.type to nodeport, on a service with one port")
        }
    }
}

extension ReportingStage {
    /// `kompose.image-pull-policy`.
    mutating func komposePullPolicy(_ workload: ServiceWorkload) -> String? {
        komposeChoice("image-pull-policy", of: ["Always", "IfNotPresent", "Never"], workload)
    }

    /// The size of a volume, of its own label or of the service's: `kompose.volume.size`.
    mutating func komposeSize(_ key: String, _ workload: ServiceWorkload) -> String? {
        let name = "kompose.volume.size"
        let own = (project(of: workload).volumes[key] ?? layered.project.volumes[key])?.labels[name]
        guard let text = own ?? workload.service.labels[name] else { return nil }
        if let size = Quantity(bytes: text) { return size.text }
        report(workload, "labels.\(name)", "invalid size \(text)", hint: "write such as 10Gi")
        return nil
    }

    mutating func komposeChoice(_ name: String, of allowed: [String], _ workload: ServiceWorkload) -> String? {
        guard let text = kompose(name, workload) else { return nil }
        if let value = allowed.first(where: { $0.lowercased() == text.lowercased() }) { return value }
        report(
            workload, "labels.kompose.\(name)", "\(text) has no equivalent",
            hint: "write one of \(allowed.joined(separator: ", "))")
        return nil
    }
}
