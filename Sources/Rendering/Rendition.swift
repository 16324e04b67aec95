package import Compose
import KubernetesObjects
import OrderedCollections
package import Specs
package import YAML

/// A rendering with the value of each of its stages, in the order in which they run.
package struct Rendition: RenderStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    let grouping: Grouping
    /// Whether each compose network is one of podman's own.
    let separatesNetworks: Bool
    /// What has each Service name.
    let serviceNames: [String: String]
    /// The workload that fills each volume with what its image holds.
    let volumeFillers: [String: Int]
    let pods: RenderedPods
    let services: RenderedServices
    let networkPolicies: [NetworkPolicy]
    let ingresses: [Ingress]
    let storage: RenderedStorage
    let dispositions: [KeyDisposition]
    let networks: [PodmanNetwork]

    package init(
        _ project: LayeredProject, options: RenderOptions, tree: FileTree, diagnostics: inout Diagnostics
    ) {
        context = RenderContext(project, options: options, tree: tree)
        var reports = ReportCollector()
        collection = WorkloadCollector(context: context).run(reporting: &reports)
        grouping = Grouper(context: context, collection: collection).run(reporting: &reports)
        separatesNetworks = NetworkSeparation(context: context, collection: collection, grouping: grouping).run()
        serviceNames = NameRegistrar(context: context, collection: collection).run(reporting: &reports)
        volumeFillers = FillerStage(context: context, collection: collection).run()
        pods = PodStage(
            inputs: PodInputs(
                context: context, collection: collection, grouping: grouping, separatesNetworks: separatesNetworks,
                volumeFillers: volumeFillers)
        ).run(reporting: &reports)
        services = ServiceStage(
            context: context, collection: collection, grouping: grouping, serviceNames: serviceNames
        ).run(reporting: &reports)
        PodChecks(
            context: context, collection: collection, grouping: grouping, claims: pods.storage.claims,
            hostMounts: pods.storage.hostMounts
        ).run(reporting: &reports)
        var policies = PolicyStage(
            context: context, collection: collection, grouping: grouping, networkPolicies: pods.networkPolicies)
        networkPolicies = policies.run()
        ingresses = IngressStage(context: context, collection: collection).run(reporting: &reports)
        var objects = StorageStage(context: context, draft: pods.storage)
        storage = objects.run()
        dispositions = TopLevelReporter(
            context: context, collection: collection, grouping: grouping, separatesNetworks: separatesNetworks
        ).run(reporting: &reports)
        networks = PodmanNetworkStage(
            context: context, collection: collection, grouping: grouping, separatesNetworks: separatesNetworks
        ).run(reporting: &reports)
        let unset = ([project.project] + project.jobs.values).reduce(into: [:]) { all, project in
            all.merge(project.unsetVariables) { first, _ in first }
        }
        diagnostics.append(contentsOf: reports.diagnostics.list.naming(unset))
    }
}

extension Rendition {
    /// Everything that the stages made, put together.
    package var deployment: RenderedDeployment {
        var result = RenderedDeployment()
        result.objects = objects
        result.secrets = storage.secrets
        result.workloads = pods.workloads
        result.networks = networks
        result.wantedPorts = services.wantedPorts
        result.boundVolumes = storage.boundVolumes
        result.dispositions = dispositions
        return result
    }

    /// All objects, in the order in which they are applied.
    private var objects: [KubernetesObject] {
        var result: [KubernetesObject] = [.namespace(namespace)]
        result += runtimeClasses.map(KubernetesObject.runtimeClass)
        result += storage.configMaps.map(KubernetesObject.configMap)
        result += storage.volumes.map(KubernetesObject.persistentVolume)
        result += storage.claims.map(KubernetesObject.persistentVolumeClaim)
        result += networkPolicies.map(KubernetesObject.networkPolicy)
        result += services.services.map(KubernetesObject.service)
        result += services.endpoints.map(KubernetesObject.endpointSlice)
        let ends = [Workload.Kind.job, .cronJob].map(\.rawValue)
        result += pods.objects.filter { !ends.contains($0.kind) }
        result += pods.objects.filter { ends.contains($0.kind) }
        result += ingresses.map(KubernetesObject.ingress)
        return result
    }

    private var namespace: Namespace {
        var annotations: [String: String] = [Keys.deploymentID: options.deploymentID]
        if let directory = options.deploymentDirectory { annotations[Keys.deploymentDirectory] = directory }
        return Namespace(
            metadata: ObjectMeta(
                name: options.namespace, labels: deploymentLabels, annotations: StringMap(annotations)))
    }

    /// kind's nodes are given this handler when the cluster is made; another cluster's administrator decides.
    private var runtimeClasses: [RuntimeClass] {
        guard spec.security.unlimitedMemlock, spec.security.runtimeClass == nil, can(.mappedNode) else {
            return []
        }
        return [
            RuntimeClass(
                metadata: ObjectMeta(name: memlockClass, labels: deploymentLabels), handler: Keys.memlockHandler)
        ]
    }
}

extension Rendition: CustomStringConvertible {
    package var description: String {
        let values: [(stage: String, value: String)] = [
            ("collection", "\(collection)"), ("grouping", "\(grouping)"),
            ("network separation", "\(separatesNetworks)"),
            ("names", serviceNames.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: "\n")),
            (
                "fillers",
                volumeFillers.sorted { $0.key < $1.key }.map { "\($0.key): \(collection.workloads[$0.value].name)" }
                    .joined(separator: "\n")
            ),
            ("pods", "\(pods)"), ("mounts", "\(pods.storage)"), ("services", "\(services)"),
            ("policies", networkPolicies.map { $0.metadata.name ?? "" }.joined(separator: "\n")),
            ("ingresses", ingresses.map { $0.metadata.name ?? "" }.joined(separator: "\n")),
            ("storage", "\(storage)"), ("networks", networks.map(\.name).joined(separator: "\n")),
        ]
        return values.map { stage, value in
            "\(stage)\n" + value.split(separator: "\n").map { "  \($0)\n" }.joined()
        }.joined()
    }
}
