import Compose
import KubernetesObjects
import OrderedCollections
import Specs

extension Renderer {
    /// Adds a service's container, and what its keys say about the pod.
    mutating func addContainer(_ unit: ServiceWorkload, to pod: inout PodDraft) {
        var container = container(unit, pod: &pod)
        container.ports = containerPorts(unit, pod: &pod)
        container.readinessProbe = probe(unit, pod: &pod)
        container.lifecycle = lifecycle(unit)
        addVolumeFillers(unit, container: container, to: &pod)
        addPreStart(unit, container: container, to: &pod)
        pod.spec.containers.append(container)
        addPodKeys(unit, to: &pod)
        if unit.isAwaited, [.always, .unlessStopped].contains(unit.service.restart) {
            report(
                unit, "restart", "others wait for the service to end: it runs once",
                hint: "write `restart: \"no\"`, or `on-failure:3` to have it tried again")
        }
        reportKeys(unit)
    }

    /// Adds a service as an init container: it runs to its end before the pod's containers start.
    mutating func addInitContainer(_ unit: ServiceWorkload, to pod: inout PodDraft) {
        let container = container(unit, pod: &pod)
        addVolumeFillers(unit, container: container, to: &pod)
        pod.spec.initContainers = (pod.spec.initContainers ?? []) + [container]
        if unit.service.healthcheck?.test != nil, unit.service.healthcheck?.isDisabled == false {
            report(unit, "healthcheck", "an init container is not checked")
        }
        addPodKeys(unit, to: &pod)
        reportKeys(unit)
    }

    /// What service and init containers have in common.
    private mutating func container(_ unit: ServiceWorkload, pod: inout PodDraft) -> Container {
        let service = unit.service
        var container = Container(name: unit.name, image: image(unit))
        container.imagePullPolicy = pullPolicy(unit)
        addCommand(unit, to: &container)
        addEnvironment(unit, to: &container)
        container.workingDir = service.workingDir
        container.stdin = service.stdinOpen == true ? true : nil
        container.tty = service.tty == true ? true : nil
        container.resources = resources(unit, pod: &pod)
        container.securityContext = securityContext(unit)
        let mounts =
            mounts(unit, pod: &pod) + devices(unit, pod: &pod) + certificates(unit, container: &container, pod: &pod)
        container.volumeMounts = mounts.isEmpty ? nil : mounts
        refuseEqualMounts(unit, mounts)
        return container
    }

    private mutating func refuseEqualMounts(_ unit: ServiceWorkload, _ mounts: [PodMount]) {
        var seen: Set<String> = []
        for mount in mounts where mount.mountPath.utf8.contains(UInt8(ascii: ":")) {
            refuse(
                unit, "volumes", "\(mount.mountPath): a path with a colon cannot be mounted at",
                hint: "use another path")
        }
        for mount in mounts where !seen.insert(mount.mountPath).inserted {
            refuse(unit, "volumes", "two things are mounted at \(mount.mountPath)", hint: "remove one of them")
        }
    }

    /// The spec's override, else the file's, else what compose names an image that it builds; then the runtime's own reference.
    private mutating func image(_ unit: ServiceWorkload) -> String {
        let service = unit.service
        if let override = spec.imageOverrides[service.name] { return reference(override.value, isBuilt: false) }
        if service.image == nil, service.build == nil, service.provider == nil {
            refuse(unit, "image", "neither image nor build is given", hint: "add `image:`")
        }
        let name = service.image ?? "\(project(of: unit).name)-\(service.name)"
        return reference(name, isBuilt: service.build != nil)
    }

    /// What the runtime is given for an image. A cluster elsewhere cannot have what was built here: it pulls it from the spec's
    /// registry, under the name that `push-images` gives it.
    private func reference(_ name: String, isBuilt: Bool) -> String {
        if let known = options.images[name] { return known }
        guard options.can(.manyNodes), let registry = spec.imageRegistry, let image = ImageName(name),
            image.isLocal || isBuilt && image.digest == nil
        else { return name }
        return image.published(in: registry)
    }

    private mutating func pullPolicy(_ unit: ServiceWorkload) -> String {
        if let policy = spec.imagePullPolicy { return policy.rawValue }
        if let policy = komposePullPolicy(unit) { return policy }
        switch unit.service.pullPolicy {
        case .always: return "Always"
        case .never: return "Never"
        case .missing, .build: return "IfNotPresent"
        case .refresh, .every:
            report(unit, "pull_policy", "the image is pulled where it is missing, and not renewed after a time")
            return "IfNotPresent"
        case nil: break
        }
        let isBuilt = unit.service.build != nil && spec.imageRegistry == nil
        return options.can(.manyNodes) && !isBuilt ? "Always" : "IfNotPresent"
    }
}
