import ExternalTools
import KubernetesObjects
import Rendering
import Specs
import SystemCrypto
import YAML

/// Turns the rendered objects into pods that podman can make, and names everything that it cannot.
///
/// Pure: what it makes of an object depends on nothing but the object, the secrets' values and the key of the fingerprints.
struct PodTranslator {
    let model: DeploymentModel
    let index: ObjectIndex
    /// Resolved Secrets by name, then key; those of the objects themselves.
    let secrets: [String: [String: [UInt8]]]
    /// The names in podman's own store, for Secrets that are referred to but not rendered.
    let storedSecrets: [String]
    /// Keys the digests of secret content.
    let key: [UInt8]
    /// Whether podman finds the program that it runs as process 1 of a container with `init`.
    var hasInitProgram = true
    var findings = Diagnostics()
    /// What services refer to and what does not exist.
    var failures: [ServiceFailure] = []
    var claimedVolumes: Set<String> = []
    /// By the service that mounts them, the volumes that the deployment does not make.
    var externalVolumes: [String: Set<String>] = [:]
    var hostPaths: [HostPath] = []

    /// A path of the host that a pod mounts.
    struct HostPath: Hashable, Sendable {
        var path: String
        /// The `type` of Kubernetes' hostPath: `DirectoryOrCreate`, `File`, …; empty for no check.
        var type: String
        var service: String
        /// The volume that the path has to stay in; nil for a path of its own.
        var volume: String?
    }

    /// Everything that a deployment consists of on podman.
    struct Result: Sendable {
        var pods: [PodmanPod]
        var routes: DeploymentRoutes
        /// The volumes that outlive the pods.
        var volumes: [String]
        /// By service: volumes that others have made.
        var externalVolumes: [String: Set<String>]
        var hostPaths: [HostPath]
        var findings: [Diagnostic]
        var failures: [ServiceFailure]
    }

    init(model: DeploymentModel, secrets: [String: [String: [UInt8]]], storedSecrets: [String], key: [UInt8]) {
        self.model = model
        self.secrets = secrets
        self.storedSecrets = storedSecrets
        self.key = key
        index = ObjectIndex(model.rendered)
    }

    mutating func translate() -> Result {
        reportObjects()
        var pods: [PodmanPod] = []
        for workload in model.rendered.workloads {
            guard let template = model.rendered.podTemplate(of: workload) else { continue }
            for replica in 1...max(1, index.replicas(workload)) where index.replicas(workload) > 0 {
                pods.append(pod(workload, template, replica: replica))
            }
        }
        let routes = deploymentRoutes(to: pods)
        return Result(
            pods: pods, routes: routes, volumes: claimedVolumes.sorted(), externalVolumes: externalVolumes,
            hostPaths: hostPaths, findings: findings.list, failures: failures)
    }

    /// Objects that have no meaning without a cluster.
    private mutating func reportObjects() {
        for object in model.rendered.objects {
            switch object {
            case .networkPolicy(let policy) where !policy.deniesAll:
                findings.warning(
                    "NetworkPolicy \(policy.metadata.name ?? "") is not enforced on podman", at: nil,
                    hint: "deploy to a cluster where separation matters")
            case .runtimeClass(let runtime):
                findings.error("RuntimeClass \(runtime.metadata.name ?? "") does not exist on podman", at: nil)
            case .service(let service): reportService(service)
            default: continue
            }
        }
    }

    private mutating func reportService(_ service: Service) {
        for port in service.spec.ports ?? [] {
            guard case .int(let target)? = port.targetPort, target != port.port else { continue }
            findings.warning(
                "Service \(service.metadata.name ?? ""): port \(port.port) is not forwarded to \(target) on podman",
                at: nil, hint: "use port \(target)")
        }
        if let external = service.spec.externalName, !isAddress(external) {
            findings.warning(
                "Service \(service.metadata.name ?? ""): podman has no name for the external host \(external)", at: nil,
                hint: "use \(external) itself, or its IP address")
        }
    }

    private mutating func pod(_ workload: Workload, _ template: PodTemplateSpec, replica: Int) -> PodmanPod {
        let spec = template.spec
        let name = PodmanNames.pod(model.namespace, workload.name, replica: replica)
        let isJob = workload.kind == .job
        let hasInfra = spec.containers.count > 1
        var labels = template.metadata.labels?.values ?? [:]
        labels[PodmanNames.deployment] = model.id
        labels[PodmanNames.workload] = workload.name
        labels[PodmanNames.replica] = "\(replica)"
        labels[PodmanNames.kind] = isJob ? "job" : "service"
        labels[Keys.writtenContent] = workload.podman.writtenContentText
        let ports = hostPorts(workload, spec, replica: replica)
        let network = networkOptions(workload, template, ports: ports, labels: labels)
        let retries = isJob && workload.completes ? index.backoffLimit(workload) : 0
        let context = PodContext(
            workload: workload, spec: spec, pod: name, labels: labels, hasInfra: hasInfra, network: network,
            restart: restartPolicy(workload, spec),
            annotations: (template.metadata.annotations?.values ?? [:]).filter { !$0.key.hasPrefix(Keys.prefix) })
        let steps = (spec.initContainers ?? []).map { container($0, in: context, role: "init") }
        let containers = spec.containers.map { container($0, in: context, role: "main") }
        reportPod(workload, spec)
        return PodmanPod(
            workload: workload.name, services: workload.services, replica: replica, name: name, isJob: isJob,
            mayEnd: isJob || workload.podman.staysEnded, completes: workload.completes, retries: retries,
            hasInfra: hasInfra, labels: labels,
            sharing: hasInfra ? sharing(spec) : [.flag("--infra=false")], network: hasInfra ? network : [],
            steps: steps,
            containers: containers,
            hostPorts: ports, ephemeralVolumes: sharedEmptyDirs(spec).map { PodmanNames.ephemeralVolume(name, $0) },
            graceSeconds: spec.terminationGracePeriodSeconds ?? 10)
    }

    private func sharing(_ spec: PodSpec) -> [PodmanOption] {
        let share = ["net", "ipc", "uts"] + (spec.shareProcessNamespace == true ? ["pid"] : [])
        let shm = sharedMemorySize(spec).map { [PodmanOption.whole("--shm-size", "\($0)")] } ?? []
        return [.whole("--share", share.joined(separator: ","))] + shm
    }

    /// Adds an option, or names what podman would read in it as something else.
    mutating func add(
        _ options: inout [PodmanOption], _ owner: String, _ option: () throws(UnwritablePart) -> PodmanOption
    ) {
        do {
            options.append(try option())
        } catch {
            findings.error(
                "\(owner): podman cannot take \(Node.string(error.part).json(pretty: false)): it would read more than one thing in it",
                at: nil, hint: "use a name or path without commas, colons, quotes and control characters")
        }
    }

    /// Services of a Deployment always run, but those of which nothing is said; a Job that completes is retried by `so`, any other one by podman.
    private func restartPolicy(_ workload: Workload, _ spec: PodSpec) -> PodmanRestart {
        guard workload.kind == .job else { return workload.podman.staysEnded ? .never : .always }
        guard !workload.completes, spec.restartPolicy == "OnFailure" else { return .never }
        return .onFailure(max(1, index.backoffLimit(workload)))
    }

    private mutating func reportPod(_ workload: Workload, _ spec: PodSpec) {
        let unsupported: [(Bool, String)] = [
            (spec.nodeSelector?.isEmpty == false || spec.affinity != nil, "placement on nodes"),
            (spec.runtimeClassName != nil, "runtimeClassName \(spec.runtimeClassName ?? "")"),
            (spec.hostUsers == false, "a user namespace of its own"),
        ]
        for (isAsked, what) in unsupported where isAsked {
            findings.warning("\(workload.name): \(what) has no meaning on podman and is left out", at: nil)
        }
    }
}

/// What all containers of one pod share.
struct PodContext {
    var workload: Workload
    var spec: PodSpec
    var pod: String
    var labels: [String: String]
    var hasInfra: Bool
    /// For the pod where it has an infra container, else for its container.
    var network: [PodmanOption]
    var restart: PodmanRestart
    /// Compose's labels, which the renderer keeps as annotations.
    var annotations: [String: String]
}
