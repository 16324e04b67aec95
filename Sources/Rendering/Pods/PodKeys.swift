import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Renders the keys of a service that are about its pod.
struct PodKeyStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() {
        addAnnotations()
        NamespaceStep(inputs: inputs, workload: workload)
            .run(on: &pod, storing: &shared, reporting: &reports)
        HostNameStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        ResolutionStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        PodmanSettingStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        SysctlStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        PlacementStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        KomposeLabelStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        addRuntime()
        if workload.service.initProcess == true { pod.spec.shareProcessNamespace = true }
        guard workload.kind != .initContainer else { return }
        let grace = workload.service.stopGracePeriod.map(Quantities.seconds) ?? 10
        pod.spec.terminationGracePeriodSeconds = max(grace, pod.spec.terminationGracePeriodSeconds ?? 0)
    }

    /// A runtime that was asked for may be what keeps a program locked up: another one is not a substitute.
    private mutating func addRuntime() {
        guard let runtime = workload.service.runtime, !runtime.isEmpty else { return }
        guard can(.anyNames) || Names.isSubdomain(runtime) else {
            return refuse(
                workload, "runtime", "\(runtime) cannot be the name of a RuntimeClass",
                hint: "write the name of one that the cluster has: kubectl get runtimeclass")
        }
        set(\.runtimeClassName, to: runtime, key: "runtime", of: workload)
    }

    /// annotations, and labels as annotations: their values are not safe as labels.
    private mutating func addAnnotations() {
        for (key, list) in [("labels", workload.service.labels), ("annotations", workload.service.annotations)] {
            for (name, value) in list where name != ServiceWorkload.initLabel {
                if isAnnotation(name, key, workload) { pod.annotations[name] = value }
            }
        }
    }
}
