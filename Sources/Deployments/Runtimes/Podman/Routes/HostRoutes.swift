import KubernetesObjects
import Rendering
import YAML

/// The routes of one deployment as this host keeps them: a file of its own, `<deployment id>.json`.
struct HostRoutes: Hashable, Sendable, Codable {
    struct Route: Hashable, Sendable, Codable {
        /// In lower case.
        var host: String
        /// `/` for everything, else without a slash at its end.
        var path: String
        /// The workload that answers.
        var service: String
        var port: Int
        /// What its replicas are called in the deployment's network, and by nothing else on this host; none: it runs on the host's own network.
        var names: [String]
    }

    var deployment: String
    /// The deployment's directory, as shown to a user.
    var owner: String
    var network: String
    /// The address that certificates are asked for with; nil: there are none.
    var acmeEmail: String?
    var routes: [Route]

    /// Whether a host is answered by HTTPS. No public authority certifies names that are this host's or nobody's, addresses, or, without a
    /// DNS server's help, wildcards.
    func isSecure(_ host: String) -> Bool { acmeEmail != nil && isPublicName(host) }

    /// The routes as a browser takes them, by the service that answers.
    func addresses(_ ports: RoutePorts) -> [RouteAddress] {
        routes.map { route in
            let isSecure = isSecure(route.host)
            let (port, usual) = isSecure ? (ports.https, 443) : (ports.http, 80)
            let authority = route.host + (port == usual ? "" : ":\(port)")
            return RouteAddress(
                service: route.service,
                url: "\(isSecure ? "https" : "http")://\(authority)\(route.path == "/" ? "/" : route.path)")
        }
    }

    /// The first route that another deployment has too.
    func collision(with others: [HostRoutes]) -> (route: Route, other: HostRoutes)? {
        for other in others where other.deployment != deployment {
            for route in routes where other.routes.contains(where: { $0.place == route.place }) {
                return (route, other)
            }
        }
        return nil
    }
}

extension HostRoutes.Route {
    /// Host and path: what no two routes of a host have in common.
    var place: String { host + path }
}

/// The ports of this host on which its routes answer.
struct RoutePorts: Hashable, Sendable {
    var http: Int
    var https: Int
}

/// Where a route answers.
package struct RouteAddress: Hashable, Sendable {
    package var service: String
    package var url: String
}

extension [PodStatus] {
    /// The pods with the addresses that lead to them.
    func showing(_ addresses: [RouteAddress]) -> [PodStatus] {
        let urls = Dictionary(grouping: addresses, by: \.service).mapValues { $0.map(\.url) }
        return map { pod in
            var pod = pod
            pod.routes = urls[pod.service] ?? []
            return pod
        }
    }
}

/// Whether a public authority could certify the name.
///
/// https://www.rfc-editor.org/rfc/rfc6761, https://www.rfc-editor.org/rfc/rfc6762
func isPublicName(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = labels.last, labels.count > 1, labels[0] != "*", !isAddress(host) else { return false }
    let reserved = ["localhost", "local", "test", "internal", "invalid", "example", "lan", "onion"]
    return !reserved.contains(String(last)) && !host.hasSuffix(".home.arpa")
}

extension PodTranslator {
    /// The deployment's routes to these pods, in the order of its Ingresses.
    mutating func hostRoutes(to pods: [PodmanPod]) -> HostRoutes {
        var result = HostRoutes(
            deployment: model.id, owner: model.owner, network: model.namespace, acmeEmail: nil, routes: [])
        for object in model.rendered.objects {
            guard case .ingress(let ingress) = object else { continue }
            result.acmeEmail = result.acmeEmail ?? ingress.metadata.annotations?[Keys.acmeEmail]
            for rule in ingress.spec.rules {
                for path in rule.http.paths {
                    guard let route = route(rule.host ?? "", path, to: pods) else { continue }
                    if !result.routes.contains(where: { $0.place == route.place }) { result.routes.append(route) }
                }
            }
        }
        reportCertificates(result)
        return result
    }

    private mutating func route(_ host: String, _ path: IngressPath, to pods: [PodmanPod]) -> HostRoutes.Route? {
        let (name, number) = (path.backend.service.name, path.backend.service.port.number ?? 80)
        let service = index.services.first { $0.metadata.name == name }
        let selector = service?.spec.selector?.values ?? [:]
        let answering = pods.filter { pod in
            guard !pod.isJob || !pod.completes else { return false }
            return selector.isEmpty ? pod.workload == name : selector.allSatisfy { pod.labels[$0.key] == $0.value }
        }
        let reachable = answering.filter { !index.isIsolated($0.labels) }
        guard let first = reachable.first else {
            let reason = answering.isEmpty ? "no pod of it runs" : "it is in no network"
            findings.warning("the route \(host)\(path.path) to \(name) is not served: \(reason)", at: nil)
            return nil
        }
        var port = number
        if case .int(let target)? = service?.spec.ports?.first(where: { $0.port == number })?.targetPort {
            port = target
        }
        let isOnHost = model.rendered.workloads.contains {
            $0.name == first.workload && model.rendered.podTemplate(of: $0)?.spec.hostNetwork == true
        }
        return HostRoutes.Route(
            host: host.lowercased(), path: normalized(path.path), service: first.workload, port: port,
            names: isOnHost ? [] : reachable.compactMap(\.networkName))
    }

    /// Kubernetes leaves the slash at the end of a prefix out of account.
    private func normalized(_ path: String) -> String {
        let scalars = path.utf8
        guard let last = scalars.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return "/" }
        return String(path[...last])
    }

    private mutating func reportCertificates(_ routes: HostRoutes) {
        guard routes.acmeEmail != nil else { return }
        for host in Set(routes.routes.map(\.host)).sorted() where host.hasPrefix("*.") {
            findings.warning(
                "http-proxy: \(host) is served by plain HTTP: a certificate for all names of a domain takes its DNS server's help",
                at: nil, hint: "name the hosts one by one")
        }
    }
}

extension PodmanPod {
    /// The name that the network's DNS knows this pod by, and no other.
    var networkName: String? { hasInfra ? name : containers.first?.name }
}
