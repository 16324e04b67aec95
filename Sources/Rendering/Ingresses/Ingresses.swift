import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Renders the routes from outside.
struct IngressStage: CollectedStage, ReportingStage {
    let context: RenderContext
    let collection: CollectedWorkloads
    var reports = ReportCollector()

    mutating func run() -> [Ingress] { renderIngresses() }
}

extension IngressStage {
    /// An Ingress for each host of the spec's http-proxy.
    private mutating func renderIngresses() -> [Ingress] {
        checkMaintenance()
        var byHost: [(host: String, paths: [IngressPath], owner: ServiceWorkload?)] = []
        for proxy in spec.network.httpProxies {
            let paths = proxy.routes.compactMap { path($0) }
            if let index = byHost.firstIndex(where: { $0.host == proxy.hostName }) {
                byHost[index].paths += paths
            } else {
                byHost.append((proxy.hostName, paths, proxy.routes.first.flatMap { workload($0.proxyTo.service) }))
            }
        }
        let written = byHost.filter { !$0.paths.isEmpty }.map { host in
            ingress(host.host, host.paths, labels: host.owner.map { labels($0) } ?? deploymentLabels)
        }
        return written + exposedIngresses(besides: Set(byHost.map(\.host)))
    }

    private func workload(_ service: String) -> ServiceWorkload? {
        collection.workloadIndex[nil]?[service].map { workloads[$0] }
    }

    private func ingress(_ host: String, _ paths: [IngressPath], labels: StringMap) -> Ingress {
        let name = Names.label(host)
        var annotations: [String: String] = [:]
        var tls: [IngressTLS]?
        if let issuer = options.clusterIssuer {
            annotations["cert-manager.io/cluster-issuer"] = issuer
            tls = [IngressTLS(hosts: [host], secretName: Names.label("\(name)-tls"))]
        }
        // On other clusters somebody else gets the certificates.
        if can(.ownIngress) { annotations[Keys.acmeEmail] = spec.network.acmeEmail }
        return Ingress(
            metadata: metadata(name, labels: labels, annotations: annotations),
            spec: IngressSpec(
                ingressClassName: options.ingressClassName, tls: tls,
                rules: [IngressRule(host: host, paths: paths)]))
    }

    private mutating func path(_ route: HTTPProxy.Route) -> IngressPath? {
        guard let service = routed("http-proxy: \(route.path) goes to", route.proxyTo, at: route.mark) else {
            return nil
        }
        let path = route.path.hasSuffix("*") ? String(route.path.dropLast()) : route.path
        return IngressPath(path: path.isEmpty ? "/" : path, service: service, port: route.proxyTo.port)
    }

    /// What all routes lead to during a restart must be there as surely as what they lead to else.
    private mutating func checkMaintenance() {
        guard let maintenance = spec.maintenanceService else { return }
        _ = routed("maintenance-service is", maintenance.value, at: maintenance.mark)
        if spec.network.httpProxies.isEmpty {
            reports.warning(
                "maintenance-service: there are no routes to point to it", at: maintenance.mark,
                hint: "add network.http-proxy, or remove it")
        }
    }

    /// The routed service must exist and expose the port: nothing else would ever answer.
    ///
    /// - Returns: the name of its Service.
    private mutating func routed(_ what: String, _ target: RouteTarget, at mark: Mark) -> String? {
        guard let index = collection.workloadIndex[nil]?[target.service] else {
            let known = layered.project.services.keys.joined(separator: ", ")
            reports.error(
                "\(what) \(target), but there is no service \(target.service)", at: mark, hint: "name one of: \(known)")
            return nil
        }
        let workload = workloads[index]
        guard workload.kind != .initContainer else {
            reports.error(
                "\(what) \(target), but \(target.service) is an init container", at: mark,
                hint: "name a service that keeps running")
            return nil
        }
        let ports = listeners(workload).filter { $0.transport == "tcp" }.map(\.port)
        guard ports.contains(target.port) else {
            let known = ports.isEmpty ? "no port" : "only \(ports.map(String.init).joined(separator: ", "))"
            reports.error(
                "\(what) \(target), but \(target.service) exposes \(known)", at: mark,
                hint: "add `expose: [\"\(target.port)\"]` to the service, or correct the port")
            return nil
        }
        return workload.name
    }
}
