package import Compose
import KubernetesObjects
import OrderedCollections
package import Specs
package import YAML

/// Renders a layered project to the objects that run it.
///
/// Pure: files are read through `tree` only. Keys without an equivalent are warnings (errors if `options.isStrict`), what
/// cannot be honoured is an error; all of them are reported at once. With errors the result is good for nothing but reading.
package func render(
    _ project: LayeredProject, options: RenderOptions, tree: FileTree, diagnostics: inout Diagnostics
) -> RenderedDeployment {
    var renderer = Renderer(project, options: options, tree: tree)
    let result = renderer.render()
    diagnostics.append(contentsOf: renderer.diagnostics.list)
    return result
}

/// The state of one rendering.
struct Renderer {
    let layered: LayeredProject
    let spec: Spec
    let options: RenderOptions
    let tree: FileTree
    let deploymentLabels: StringMap
    var diagnostics = Diagnostics()

    /// Every service with what it becomes; the stack's jobs last.
    var workloads: [ServiceWorkload] = []
    /// ServiceWorkload by service name, for the pods (nil) and for each stack job.
    var workloadIndex: [String?: [String: Int]] = [:]
    var groups: [Group] = []
    /// The group that each workload runs in; an init container's is the first of its hosts.
    var groupOfWorkload: [Int?] = []

    /// What stands behind each volume's key, once somebody mounts it.
    var claims: OrderedDictionary<String, Claim> = [:]
    /// The workload that fills each volume with what its image holds.
    var volumeFillers: [String: Int] = [:]
    /// The volume that has each claim name.
    var claimOwners: [String: String] = [:]
    var configMaps: OrderedDictionary<String, ConfigMap> = [:]
    /// ConfigMaps by the path that they hold.
    var bundles: [String: FileBundle?] = [:]
    /// Why a path could not become a ConfigMap.
    var bundleProblems: [String: String] = [:]
    var secrets: OrderedDictionary<String, SecretTemplate> = [:]
    /// Secrets and configs whose key was seen, so that each is reported once.
    var reportedKeys: Set<String> = []
    var services: [ClusterService] = []
    /// What has each Service name: a compose service or one of its aliases.
    var serviceNames: [String: String] = [:]
    /// The host's ports that are spoken for on podman, as `80/tcp`.
    var takenHostPorts: Set<String> = []
    /// Ports of a host that become node ports: see ``RenderedDeployment/wantedPorts``.
    var wantedPorts: [String: Int] = [:]
    var networkPolicies: [NetworkPolicy] = []
    /// Whether each compose network is one of podman's own.
    var separatesNetworks = false
    /// Who has each fixed address, as `network/address`.
    var takenAddresses: [String: String] = [:]
    /// Names that the links of other services give a service.
    var linkAliases: [LinkTarget: [String]] = [:]
    /// The DNS names of the pods' services, which jobs must not take.
    var ownNames: Set<String> = []
    /// The names of the Secrets that hold services' environments.
    var environmentSecrets: Set<String> = []
    /// Outcomes that a value decided, over the table's.
    var decided: [DecidedKey: KeyMapping.Outcome] = [:]
    var rows = ServiceKeyRows()
    /// Keys of the spec's `secrets`, which the pre-existing Secrets bring.
    let keysOfSpecSecrets: Set<String>
    /// What services mount for writing of the host; absolute.
    let writtenBinds: Set<String>
    /// What pods mount of the host.
    var hostMounts: Set<HostMount> = []

    struct DecidedKey: Hashable {
        var workload: Int
        var key: String
    }

    init(_ layered: LayeredProject, options: RenderOptions, tree: FileTree) {
        self.layered = layered
        spec = layered.spec
        self.options = options
        self.tree = tree
        deploymentLabels = [
            Keys.instance: Names.labelValue(options.deploymentID), Keys.partOf: Names.labelValue(options.stackName),
            Keys.managedBy: "so",
        ]
        keysOfSpecSecrets = Set(layered.spec.secrets.values.flatMap(\.value))
        writtenBinds = layered.writtenBinds
    }

    mutating func render() -> RenderedDeployment {
        collectWorkloads()
        if options.can(.oneHost) { takenHostPorts = fixedHostPorts() }
        formGroups()
        separatesNetworks = asksForNetworks()
        registerServiceNames()
        chooseVolumeFillers()
        var result = RenderedDeployment()
        var workloadObjects: [KubernetesObject] = []
        for index in groups.indices {
            workloadObjects.append(renderWorkload(index, to: &result.workloads))
        }
        refuseCycles(result.workloads)
        renderServices()
        renderExternalServices()
        refuseUnknownNetworks()
        renderIsolation()
        reportLocalhost()
        reportSharedVolumes()
        refuseNestedMounts()
        let ingresses = renderIngresses()
        addStackSecrets()
        reportTopLevel()
        reportReservedLabels()
        if options.listsDispositions { result.dispositions = dispositions() }
        result.wantedPorts = wantedPorts
        result.boundVolumes = claims.values.reduce(into: [:]) { paths, claim in paths[claim.name] = claim.boundDevice }
        result.networks = podmanNetworks()
        result.secrets = Array(secrets.values)
        result.objects = assemble(workloads: workloadObjects, ingresses: ingresses)
        return result
    }

    /// All objects, in the order in which they are applied.
    private func assemble(workloads: [KubernetesObject], ingresses: [Ingress]) -> [KubernetesObject] {
        var objects: [KubernetesObject] = [.namespace(namespace)]
        objects += runtimeClasses.map(KubernetesObject.runtimeClass)
        objects += configMaps.values.map(KubernetesObject.configMap)
        let volumes = volumeObjects()
        objects += volumes.volumes.map(KubernetesObject.persistentVolume)
        objects += volumes.claims.map(KubernetesObject.persistentVolumeClaim)
        objects += networkPolicies.map(KubernetesObject.networkPolicy)
        objects += services.map(KubernetesObject.service)
        objects += externalEndpoints.map(KubernetesObject.endpointSlice)
        let ends = [Workload.Kind.job, .cronJob].map(\.rawValue)
        objects += workloads.filter { !ends.contains($0.kind) }
        objects += workloads.filter { ends.contains($0.kind) }
        objects += ingresses.map(KubernetesObject.ingress)
        return objects
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
        guard spec.security.unlimitedMemlock, spec.security.runtimeClass == nil, options.can(.mappedNode) else {
            return []
        }
        return [
            RuntimeClass(
                metadata: ObjectMeta(name: memlockClass, labels: deploymentLabels), handler: Keys.memlockHandler)
        ]
    }

    /// A deployment of a kind cluster has a class of its own, which goes with it; another cluster's administrator makes one for all.
    var memlockClass: String {
        options.can(.mappedNode) ? Names.label("\(options.namespace)-\(Keys.memlockHandler)") : Keys.memlockHandler
    }
}
