import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// A step of a rendering: it takes the values of the steps before it, and returns one.
protocol RenderStage {
    var context: RenderContext { get }
}

/// A stage that knows what each service becomes.
protocol CollectedStage: RenderStage {
    var collection: CollectedWorkloads { get }
}

/// A stage that knows which services share a pod.
protocol GroupedStage: CollectedStage {
    var grouping: Grouping { get }
}

/// A stage that knows whether compose's networks are networks of podman's own.
protocol NetworkedStage: GroupedStage {
    var separatesNetworks: Bool { get }
}

/// A stage that finds what cannot be honoured.
protocol ReportingStage: RenderStage {
    associatedtype Output
    var reports: ReportCollector { get set }
    mutating func run() -> Output
}

extension ReportingStage {
    /// Runs the stage on the reports of those before it.
    func run(reporting reports: inout ReportCollector) -> Output {
        var stage = self
        swap(&stage.reports, &reports)
        defer { swap(&stage.reports, &reports) }
        return stage.run()
    }
}

extension RenderStage {
    var layered: LayeredProject { context.layered }
    var spec: Spec { context.spec }
    var options: RenderOptions { context.options }
    var tree: FileTree { context.tree }
    var deploymentLabels: StringMap { context.deploymentLabels }

    /// Whether the target can do something.
    func can(_ ability: TargetAbilities) -> Bool { context.abilities.contains(ability) }

    func project(of workload: ServiceWorkload) -> Project {
        workload.job.flatMap { layered.jobs[$0] } ?? layered.project
    }

    /// A deployment of a kind cluster has a class of its own, which goes with it; another cluster's administrator makes one for all.
    var memlockClass: String {
        can(.mappedNode) ? Names.label("\(options.namespace)-\(Keys.memlockHandler)") : Keys.memlockHandler
    }
}

extension CollectedStage {
    var workloads: [ServiceWorkload] { collection.workloads }

    /// The workload of a service, as another workload names it: its own project's first, then the pods'.
    func workload(_ service: String, for workload: ServiceWorkload) -> ServiceWorkload? {
        let index = collection.workloadIndex[workload.job]?[service] ?? collection.workloadIndex[nil]?[service]
        return index.map { workloads[$0] }
    }

    /// The job's name where it has one service, else job and service; `-job` behind it where a service has the name.
    func jobName(_ workload: ServiceWorkload) -> String {
        let job = workload.job ?? workload.component
        let isOnly = (layered.jobs[job]?.services.count ?? 0) == 1
        let name = isOnly ? job : "\(job)-\(workload.service.name)"
        return Names.label(collection.ownNames.contains(Names.label(name)) ? "\(name)-job" : name)
    }

    /// Names the Secret of a service's own secret values.
    func environmentSecret(_ workload: ServiceWorkload) -> String {
        "\(workload.job == nil ? workload.name : jobName(workload))-env"
    }
}

extension GroupedStage {
    var groups: [Group] { grouping.groups }
    var groupOfWorkload: [Int?] { grouping.groupOfWorkload }
}
