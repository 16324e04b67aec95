import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Adds a service's container to its pod, and what its keys say about the pod.
struct ContainerStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    /// Whether it is an init container: it runs to its end before the others start.
    let runsFirst: Bool
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() {
        if runsFirst { addInitContainer() } else { addContainer() }
    }

    private mutating func addContainer() {
        var container = container()
        container.ports = PortStep(inputs: inputs, workload: workload)
            .run(on: &pod, storing: &shared, reporting: &reports)
        container.readinessProbe = ProbeStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        container.lifecycle = LifecycleStep(inputs: inputs, workload: workload).run(reporting: &reports)
        VolumeFillStep(inputs: inputs, workload: workload, container: container).run(on: &pod, reporting: &reports)
        PreStartStep(inputs: inputs, workload: workload, container: container).run(on: &pod, reporting: &reports)
        pod.spec.containers.append(container)
        PodKeyStep(inputs: inputs, workload: workload).run(on: &pod, storing: &shared, reporting: &reports)
        if workload.isAwaited, [.always, .unlessStopped].contains(workload.service.restart) {
            report(
                workload, "restart", "others wait for the service to end: it runs once",
                hint: "write `restart: \"no\"`, or `on-failure:3` to have it tried again")
        }
        KeyReportStep(inputs: inputs, workload: workload).run(reporting: &reports)
    }

    /// Adds a service as an init container: it runs to its end before the pod's containers start.
    private mutating func addInitContainer() {
        let container = container()
        VolumeFillStep(inputs: inputs, workload: workload, container: container).run(on: &pod, reporting: &reports)
        pod.spec.initContainers = (pod.spec.initContainers ?? []) + [container]
        if workload.service.healthcheck?.test != nil, workload.service.healthcheck?.isDisabled == false {
            report(workload, "healthcheck", "an init container is not checked")
        }
        PodKeyStep(inputs: inputs, workload: workload).run(on: &pod, storing: &shared, reporting: &reports)
        KeyReportStep(inputs: inputs, workload: workload).run(reporting: &reports)
    }

    /// What service and init containers have in common.
    private mutating func container() -> Container {
        let service = workload.service
        var container = Container(name: workload.name, image: image())
        container.imagePullPolicy = pullPolicy()
        let command = CommandStep(inputs: inputs, workload: workload).run(storing: &shared, reporting: &reports)
        (container.command, container.args) = (command.entrypoint, command.arguments)
        let environment = EnvironmentStep(inputs: inputs, workload: workload)
            .run(storing: &shared, reporting: &reports)
        (container.env, container.envFrom) = (environment.variables, environment.sources)
        container.workingDir = service.workingDir
        container.stdin = service.stdinOpen == true ? true : nil
        container.tty = service.tty == true ? true : nil
        container.resources = ResourceStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        container.securityContext = SecurityStep(inputs: inputs, workload: workload).run(reporting: &reports)
        var mounts = MountStep(inputs: inputs, workload: workload)
            .run(on: &pod, storing: &shared, reporting: &reports)
        mounts += DeviceStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        let certificates = CertificateStep(inputs: inputs, workload: workload)
            .run(on: &pod, storing: &shared, reporting: &reports)
        mounts += certificates?.mounts ?? []
        if let variable = certificates?.variable { container.env = (container.env ?? []) + [variable] }
        container.volumeMounts = mounts.isEmpty ? nil : mounts
        refuseEqualMounts(mounts)
        return container
    }

    private mutating func refuseEqualMounts(_ mounts: [PodMount]) {
        var seen: Set<String> = []
        for mount in mounts where mount.mountPath.utf8.contains(UInt8(ascii: ":")) {
            refuse(
                workload, "volumes", "\(mount.mountPath): a path with a colon cannot be mounted at",
                hint: "use another path")
        }
        for mount in mounts where !seen.insert(mount.mountPath).inserted {
            refuse(workload, "volumes", "two things are mounted at \(mount.mountPath)", hint: "remove one of them")
        }
    }

    /// The spec's override, else the file's, else what compose names an image that it builds; then the runtime's own reference.
    private mutating func image() -> String {
        let service = workload.service
        if let override = spec.imageOverrides[service.name] { return reference(override.value, isBuilt: false) }
        if service.image == nil, service.build == nil, service.provider == nil {
            refuse(workload, "image", "neither image nor build is given", hint: "add `image:`")
        }
        let name = service.image ?? "\(project(of: workload).name)-\(service.name)"
        return reference(name, isBuilt: service.build != nil)
    }

    /// What the runtime is given for an image. A cluster elsewhere cannot have what was built here: it pulls it from the spec's
    /// registry, under the name that `push-images` gives it.
    private func reference(_ name: String, isBuilt: Bool) -> String {
        if let known = options.images[name] { return known }
        guard can(.manyNodes), let registry = spec.imageRegistry, let image = ImageName(name),
            image.isLocal || isBuilt && image.digest == nil
        else { return name }
        return image.published(in: registry)
    }

    private mutating func pullPolicy() -> String {
        if let policy = spec.imagePullPolicy { return policy.rawValue }
        if let policy = komposePullPolicy(workload) { return policy }
        switch workload.service.pullPolicy {
        case .always: return "Always"
        case .never: return "Never"
        case .missing, .build: return "IfNotPresent"
        case .refresh, .every:
            report(workload, "pull_policy", "the image is pulled where it is missing, and not renewed after a time")
            return "IfNotPresent"
        case nil: break
        }
        let isBuilt = workload.service.build != nil && spec.imageRegistry == nil
        return can(.manyNodes) && !isBuilt ? "Always" : "IfNotPresent"
    }
}
