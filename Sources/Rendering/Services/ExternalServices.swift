import KubernetesObjects
import OrderedCollections
import Specs
import YAML

extension ServiceStage {
    /// Names of the spec's external-services.
    mutating func renderExternalServices() {
        for (key, external) in spec.externalServices {
            let name = Names.label(key)
            if let owner = serviceNames[name] {
                reports.error(
                    "external-services: \(key) is the name of the service \(owner) already", at: external.mark,
                    hint: "rename it")
                continue
            }
            serviceNames[name] = key
            let port = ClusterServicePort(
                name: "\(external.port)-tcp", port: external.port, targetPort: nil, protocol: "TCP")
            switch external.destination {
            case .host(let host): services.append(alias(name, to: host))
            case .address: services.append(headless(name, port))
            case .selector(let labels, let namespace):
                if can(.oneHost) {
                    reports.warning(
                        "external-services: \(key) selects pods of a cluster, which podman does not know: nothing answers by that name",
                        at: external.mark, hint: "give its address: `ip: <address>`")
                }
                addSelected(name, selected: Dictionary(Array(labels)) { _, last in last }, namespace: namespace, port)
            }
        }
    }

    /// The addresses behind those names that are one.
    var externalEndpoints: [EndpointSlice] {
        spec.externalServices.compactMap { key, external in
            guard case .address(let address) = external.destination else { return nil }
            let name = Names.label(key)
            var labels = labels(name, component: options.stackName)
            labels["kubernetes.io/service-name"] = name
            return EndpointSlice(
                metadata: metadata(name, labels: labels), addressType: address.contains(":") ? "IPv6" : "IPv4",
                address: address, portName: "\(external.port)-tcp", port: external.port)
        }
    }

    private func alias(_ name: String, to host: String) -> ClusterService {
        var spec = ServiceSpec()
        spec.type = "ExternalName"
        spec.externalName = host
        return ClusterService(metadata: metadata(name, labels: labels(name, component: options.stackName)), spec: spec)
    }

    private func headless(_ name: String, _ port: ClusterServicePort) -> ClusterService {
        var spec = ServiceSpec()
        spec.type = "ClusterIP"
        spec.clusterIP = "None"
        spec.ports = [port]
        return ClusterService(metadata: metadata(name, labels: labels(name, component: options.stackName)), spec: spec)
    }

    /// Pods of another namespace can only be selected there: a Service beside them, and a name here that leads to it.
    private mutating func addSelected(
        _ name: String, selected: [String: String], namespace: String?, _ port: ClusterServicePort
    ) {
        var spec = ServiceSpec()
        spec.type = "ClusterIP"
        spec.selector = StringMap(selected)
        spec.ports = [port]
        guard let namespace, namespace != options.namespace else {
            services.append(
                ClusterService(metadata: metadata(name, labels: labels(name, component: options.stackName)), spec: spec)
            )
            return
        }
        let remote = Names.label("\(options.namespace)-\(name)")
        services.append(
            ClusterService(
                metadata: ObjectMeta(
                    name: remote, namespace: namespace, labels: labels(name, component: options.stackName)), spec: spec)
        )
        services.append(alias(name, to: "\(remote).\(namespace).svc.cluster.local"))
    }
}
