package import YAML

/// One object of the kinds that `so` renders or reads.
package enum KubernetesObject: Hashable, Sendable {
    case namespace(Namespace)
    case configMap(ConfigMap)
    case secret(Secret)
    case runtimeClass(RuntimeClass)
    case persistentVolume(PersistentVolume)
    case persistentVolumeClaim(PersistentVolumeClaim)
    case service(Service)
    case endpointSlice(EndpointSlice)
    case deployment(Deployment)
    case daemonSet(DaemonSet)
    case job(Job)
    case cronJob(CronJob)
    case ingress(Ingress)
    case networkPolicy(NetworkPolicy)

    /// The object as the value that is encoded.
    package var value: any KubernetesResource {
        switch self {
        case .namespace(let object): object
        case .configMap(let object): object
        case .secret(let object): object
        case .runtimeClass(let object): object
        case .persistentVolume(let object): object
        case .persistentVolumeClaim(let object): object
        case .service(let object): object
        case .endpointSlice(let object): object
        case .deployment(let object): object
        case .daemonSet(let object): object
        case .job(let object): object
        case .cronJob(let object): object
        case .ingress(let object): object
        case .networkPolicy(let object): object
        }
    }

    package var apiVersion: String { value.apiVersion }
    package var kind: String { value.kind }
    package var metadata: ObjectMeta { value.metadata }
    package var name: String { value.metadata.name ?? "" }

    /// `Kind/name`, as a plan and a diagnostic name it.
    package var identity: String { "\(kind)/\(name)" }
}

extension KubernetesObject {
    /// The object as a tree: keys in the order of their declaration, absent ones left out.
    ///
    /// - Throws: `EncodingError`; no kind here holds anything that can cause one.
    package func node() throws -> Node {
        let encoder = NodeEncoder()
        switch self {
        case .namespace(let object): return try encoder.encode(object)
        case .configMap(let object): return try encoder.encode(object)
        case .secret(let object): return try encoder.encode(object)
        case .runtimeClass(let object): return try encoder.encode(object)
        case .persistentVolume(let object): return try encoder.encode(object)
        case .persistentVolumeClaim(let object): return try encoder.encode(object)
        case .service(let object): return try encoder.encode(object)
        case .endpointSlice(let object): return try encoder.encode(object)
        case .deployment(let object): return try encoder.encode(object)
        case .daemonSet(let object): return try encoder.encode(object)
        case .job(let object): return try encoder.encode(object)
        case .cronJob(let object): return try encoder.encode(object)
        case .ingress(let object): return try encoder.encode(object)
        case .networkPolicy(let object): return try encoder.encode(object)
        }
    }
}
