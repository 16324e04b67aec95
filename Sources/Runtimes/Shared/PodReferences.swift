import KubernetesObjects
import Rendering

/// The Secrets, ConfigMaps and claims that pods refer to and cannot start without.
struct PodReferences {
    private(set) var secrets: Set<String> = []
    private(set) var configMaps: Set<String> = []
    private(set) var claims: Set<String> = []

    /// Of all pods of a deployment.
    init(_ rendered: RenderedDeployment) {
        for workload in rendered.workloads { rendered.podTemplate(of: workload).map { add($0.spec) } }
    }

    init(_ spec: PodSpec) { add(spec) }

    private mutating func add(_ spec: PodSpec) {
        for container in (spec.initContainers ?? []) + spec.containers {
            for source in container.envFrom ?? [] {
                if let reference = source.secretRef, reference.optional != true { secrets.insert(reference.name) }
                if let reference = source.configMapRef, reference.optional != true { configMaps.insert(reference.name) }
            }
            for variable in container.env ?? [] {
                if let reference = variable.valueFrom?.secretKeyRef { secrets.insert(reference.name) }
                if let reference = variable.valueFrom?.configMapKeyRef { configMaps.insert(reference.name) }
            }
        }
        for volume in spec.volumes ?? [] {
            if let source = volume.secret, source.optional != true { secrets.insert(source.secretName) }
            if let source = volume.configMap, source.optional != true { configMaps.insert(source.name) }
            if let source = volume.persistentVolumeClaim { claims.insert(source.claimName) }
        }
    }
}
