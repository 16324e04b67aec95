import Compose
import KubernetesObjects
import OrderedCollections
import Specs

extension PodStage {
    /// Adds a service's container, and what its keys say about the pod.
    mutating func addContainer(_ workload: ServiceWorkload, to pod: inout PodDraft) {
        var container = container(workload, pod: &pod)
        container.ports = containerPorts(workload, pod: &pod)
        container.readinessProbe = probe(workload, pod: &pod)
        container.lifecycle = lifecycle(workload)
        addVolumeFillers(workload, container: container, to: &pod)
        addPreStart(workload, container: container, to: &pod)
        pod.spec.containers.append(container)
        addPodKeys(workload, to: &pod)
        if workload.isAwaited, [.always, .unlessStopped].contains(workload.service.restart) {
            report(
                workload, "restart", "others wait for the service to end: it runs once",
                hint: "write `restart: \"no\"`, or `on-failure:3` to have it tried again")
        }
        reportKeys(workload)
    }

    /// Adds a service as an init container: it runs to its end before the pod's containers start.
    mutating func addInitContainer(_ workload: ServiceWorkload, to pod: inout PodDraft) {
        let container = container(workload, pod: &pod)
        addVolumeFillers(workload, container: container, to: &pod)
        pod.spec.initContainers = (pod.spec.initContainers ?? []) + [container]
        if workload.service.healthcheck?.test != nil, workload.service.healthcheck?.isDisabled == false {
            report(workload, "healthcheck", "an init container is not checked")
        }
        addPodKeys(workload, to: &pod)
        reportKeys(workload)
    }

    /// What service and init containers have in common.
    private mutating func container(_ workload: ServiceWorkload, pod: inout PodDraft) -> Container {
        let service = workload.service
        var container = Container(name: workload.name, image: image(workload))
        container.imagePullPolicy = pullPolicy(workload)
        addCommand(workload, to: &container)
        addEnvironment(workload, to: &container)
        container.workingDir = service.workingDir
        container.stdin = service.stdinOpen == true ? true : nil
        container.tty = service.tty == true ? true : nil
        container.resources = resources(workload, pod: &pod)
        container.securityContext = securityContext(workload)
        let mounts =
            mounts(workload, pod: &pod) + devices(workload, pod: &pod)
            + certificates(workload, container: &container, pod: &pod)
        container.volumeMounts = mounts.isEmpty ? nil : mounts
        refuseEqualMounts(workload, mounts)
        return container
    }

    private mutating func refuseEqualMounts(_ workload: ServiceWorkload, _ mounts: [PodMount]) {
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
    private mutating func image(_ workload: ServiceWorkload) -> String {
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

    private mutating func pullPolicy(_ workload: ServiceWorkload) -> String {
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
