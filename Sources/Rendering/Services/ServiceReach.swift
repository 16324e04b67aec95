import Compose
import OrderedCollections

/// How a Service is reached: `kompose.service.type`.
enum ServiceReach: String, CaseIterable {
    case clusterIP = "clusterip"
    case nodePort = "nodeport"
    case loadBalancer = "loadbalancer"
    case headless

    /// Kubernetes' own range: https://kubernetes.io/docs/concepts/services-networking/service/#type-nodeport
    static let nodePorts = 30000...32767
}

extension RenderStage {
    /// The value of `kompose.<name>`.
    func kompose(_ name: String, _ workload: ServiceWorkload) -> String? { workload.service.labels["kompose.\(name)"] }

    func komposeReach(_ workload: ServiceWorkload) -> ServiceReach? {
        kompose("service.type", workload).flatMap { ServiceReach(rawValue: $0.lowercased()) }
    }

    /// The port that every node opens for the one published port: `kompose.service.nodeport.port`.
    func komposeNodePort(_ workload: ServiceWorkload) -> Int? {
        kompose("service.nodeport.port", workload).flatMap(Int.init).flatMap {
            ServiceReach.nodePorts.contains($0) ? $0 : nil
        }
    }
}
