import KubernetesObjects
import Rendering
import YAML

/// The routes of one deployment as this host keeps them: a file of its own, `<deployment id>.json`.
struct DeploymentRoutes: Hashable, Sendable, Codable {
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
        /// The network that leads to it; nil: the deployment's.
        var network: String?
    }

    var deployment: String
    /// The deployment's directory, as shown to a user.
    var owner: String
    var network: String
    /// The address that certificates are asked for with; nil: there are none.
    var acmeEmail: String?
    var routes: [Route]

    /// Every network that has to be joined.
    var networks: Set<String> { Set(routes.map { $0.network ?? network }).union(routes.isEmpty ? [network] : []) }

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
    func collision(with others: [DeploymentRoutes]) -> (route: Route, other: DeploymentRoutes)? {
        for other in others where other.deployment != deployment {
            for route in routes where other.routes.contains(where: { $0.place == route.place }) {
                return (route, other)
            }
        }
        return nil
    }
}

extension DeploymentRoutes.Route {
    /// Host and path: what no two routes of a host have in common.
    var place: String { host + path }
}

/// The ports of this host on which its routes answer.
struct RoutePorts: Hashable, Sendable {
    var http: Int
    var https: Int
}

extension PodTranslator {
    /// The deployment's routes to these pods, in the order of its Ingresses.
    mutating func deploymentRoutes(to pods: [PodmanPod]) -> DeploymentRoutes {
        var result = DeploymentRoutes(
            deployment: model.id, owner: model.owner, network: model.podmanNetworks[0].name, acmeEmail: nil, routes: [])
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

    private mutating func route(_ host: String, _ path: IngressPath, to pods: [PodmanPod]) -> DeploymentRoutes.Route? {
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
        var route = DeploymentRoutes.Route(
            host: host.lowercased(), path: normalized(path.path), service: first.workload, port: port,
            names: isOnHost ? [] : reachable.compactMap(\.networkName))
        guard !isOnHost, let workload = model.rendered.workloads.first(where: { $0.name == first.workload }),
            !model.rendered.networks.isEmpty
        else { return route }
        // Names are asked for in the network itself; one with a way out is preferred: it has the host in it already.
        let networks = networks(of: workload).filter(\.hasDNS)
        guard let network = networks.first(where: { !$0.isInternal }) ?? networks.first else {
            findings.warning(
                "the route \(host)\(path.path) to \(name) is not served: no network of it has a name server", at: nil)
            return nil
        }
        route.network = PodmanNames.network(model.namespace, network.name)
        return route
    }

    /// Kubernetes leaves the slash at the end of a prefix out of account.
    private func normalized(_ path: String) -> String {
        let scalars = path.utf8
        guard let last = scalars.lastIndex(where: { $0 != UInt8(ascii: "/") }) else { return "/" }
        return String(path[...last])
    }

    private mutating func reportCertificates(_ routes: DeploymentRoutes) {
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
