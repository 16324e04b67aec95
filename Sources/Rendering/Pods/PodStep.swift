import KubernetesObjects

/// What every step of rendering pods reads.
struct PodInputs: NetworkedStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    let separatesNetworks: Bool
    /// The workload that fills each volume with what its image holds.
    let volumeFillers: [String: Int]
}

/// A step of rendering a pod: it takes values, and returns one.
protocol PodStep: NetworkedStage, ReportingStage {
    var inputs: PodInputs { get }
}

extension PodStep {
    var context: RenderContext { inputs.context }
    var collection: CollectedWorkloads { inputs.collection }
    var grouping: Grouping { inputs.grouping }
    var separatesNetworks: Bool { inputs.separatesNetworks }
}

/// What pods need together, while they are rendered.
struct SharedDraft {
    var storage = StorageDraft()
    /// The host's ports that are spoken for on podman, as `80/tcp`.
    var hostPorts: Set<String> = []
    /// Who has each fixed address, as `network/address`.
    var addresses: [String: String] = [:]
    /// Of pods that have no network.
    var networkPolicies: [NetworkPolicy] = []
}

/// A step that goes on with a pod.
protocol DraftingStep: PodStep {
    var pod: PodDraft { get set }
}

/// A step that goes on with what pods need together.
protocol StoringStep: PodStep {
    var shared: SharedDraft { get set }
}

extension PodStep {
    /// Calls the closure with the value in the property's place, and hands the value back as it is then.
    fileprivate mutating func with<Value, Result>(
        _ property: WritableKeyPath<Self, Value>, _ value: inout Value, _ body: (inout Self) -> Result
    ) -> Result {
        swap(&self[keyPath: property], &value)
        defer { swap(&self[keyPath: property], &value) }
        return body(&self)
    }
}

extension DraftingStep {
    /// Runs the step on the pod as the steps before it left it.
    func run(on pod: inout PodDraft, reporting reports: inout ReportCollector) -> Output {
        var step = self
        return step.with(\.pod, &pod) { $0.with(\.reports, &reports) { $0.run() } }
    }
}

extension StoringStep {
    /// Runs the step on what the pods before it need.
    func run(storing shared: inout SharedDraft, reporting reports: inout ReportCollector) -> Output {
        var step = self
        return step.with(\.shared, &shared) { $0.with(\.reports, &reports) { $0.run() } }
    }
}

extension DraftingStep where Self: StoringStep {
    /// Runs the step on the pod, and on what the pods before it need.
    func run(
        on pod: inout PodDraft, storing shared: inout SharedDraft, reporting reports: inout ReportCollector
    ) -> Output {
        var step = self
        return step.with(\.pod, &pod) { $0.with(\.shared, &shared) { $0.with(\.reports, &reports) { $0.run() } } }
    }
}
