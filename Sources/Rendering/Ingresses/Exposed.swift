import Compose
import KubernetesObjects
import Specs

/// kompose's way to a route: the label `kompose.service.expose: a.example.com,b.example.com/path` on a service.
///
/// Rule: https://kompose.io/user-guide/#labels
extension IngressStage {
    /// An Ingress for each host that a label names and the spec does not.
    mutating func exposedIngresses(besides taken: Set<String>) -> [Ingress] {
        var taken = taken
        return workloads.filter { $0.job == nil && $0.kind != .initContainer }.flatMap { exposed($0, &taken) }
    }

    private mutating func exposed(_ workload: ServiceWorkload, _ taken: inout Set<String>) -> [Ingress] {
        guard let text = kompose("service.expose", workload), !["", "false"].contains(text.lowercased()) else {
            return []
        }
        guard let port = listeners(workload).first(where: { $0.transport == "tcp" })?.port else {
            report(
                workload, Self.expose, "the service has no port that a route could point to", hint: "write `expose:`")
            return []
        }
        return text.split(separator: ",").compactMap { ingress(String($0), to: port, workload, &taken) }
    }

    private static let expose = "labels.kompose.service.expose"

    private mutating func ingress(
        _ written: String, to port: Int, _ workload: ServiceWorkload, _ taken: inout Set<String>
    )
        -> Ingress?
    {
        let text = written.split(separator: " ").joined()
        let host = text.prefix { $0 != "/" }.lowercased()
        guard host != "true", Names.isSubdomain(host) else {
            report(
                workload, Self.expose, "\(text) is not a host's name: no route is made",
                hint: "write such as app.example.com")
            return nil
        }
        guard taken.insert(host).inserted else {
            report(workload, Self.expose, "\(host) has a route already: this one is left out")
            return nil
        }
        let path = String(text.dropFirst(host.count))
        var spec = IngressSpec(
            ingressClassName: kompose("service.expose.ingress-class-name", workload) ?? options.ingressClassName,
            rules: [
                IngressRule(
                    host: host,
                    paths: [IngressPath(path: path.isEmpty ? "/" : path, service: workload.name, port: port)])
            ])
        let name = Names.label(host)
        var annotations: [String: String] = [:]
        spec.tls = certificate(of: host, name, workload, &annotations)
        return Ingress(metadata: metadata(name, labels: labels(workload), annotations: annotations), spec: spec)
    }

    /// The certificate of the label's Secret, else of the cluster's issuer.
    private mutating func certificate(
        of host: String, _ name: String, _ workload: ServiceWorkload, _ annotations: inout [String: String]
    ) -> [IngressTLS]? {
        if let secret = kompose("service.expose.tls-secret", workload) {
            if can(.kubernetesObjects) { return [IngressTLS(hosts: [host], secretName: Names.label(secret))] }
            report(
                workload, "\(Self.expose).tls-secret", "podman has no Secrets: certificates come by network.acme-email")
        }
        if can(.ownIngress) { annotations[Keys.acmeEmail] = spec.network.acmeEmail }
        guard let issuer = options.clusterIssuer else { return nil }
        annotations["cert-manager.io/cluster-issuer"] = issuer
        return [IngressTLS(hosts: [host], secretName: Names.label("\(name)-tls"))]
    }
}
