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

/// What every kind has.
package protocol KubernetesResource: Codable, Hashable, Sendable {
    var apiVersion: String { get }
    var kind: String { get }
    var metadata: ObjectMeta { get set }
}
