import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

/// By what means a cluster serves routes: its ingress class, and who issues certificates for it.
struct IngressDefaults: Hashable, Sendable {
    /// Written into Ingresses; nil: the cluster's default one, which the server writes in itself.
    var className: String?
    /// The cert-manager ClusterIssuer of the cluster.
    var issuer: String?
    /// Why routes may not be served.
    var warning: String?

    /// - Parameter classes: nil: they may not be read.
    init(classes: [LiveObject]?, issuers: [LiveObject]) {
        // Where there are several, stack-orchestrator's choice.
        issuer = issuers.count == 1 ? issuers[0].name : issuers.first { $0.name == "letsencrypt-prod" }?.name
        guard let classes, !classes.contains(where: \.isDefaultClass) else { return }
        switch classes.count {
        case 0:
            warning = "the cluster has no IngressClass: no routes are served until an ingress controller is installed"
        case 1: className = classes[0].name
        default:
            let names = classes.map(\.name).sorted()
            warning =
                "the cluster has no default IngressClass, so no controller serves the routes: kubectl annotate ingressclass "
                + "\(names[0]) ingressclass.kubernetes.io/is-default-class=true (or one of \(names.joined(separator: ", ")))"
        }
    }

    /// The Ingress with what the cluster has; what it says itself stays.
    func completing(_ ingress: Node) -> Node {
        var result = ingress
        if let className, ingress.at("spec", "ingressClassName") == nil {
            result = result.setting(["spec", "ingressClassName"], .string(className))
        }
        guard let issuer, ingress.at("spec", "tls") == nil else { return result }
        let hosts = (ingress.at("spec", "rules")?.sequence ?? []).compactMap { $0["host"]?.text }
        let name = Names.label("\(LiveObject(ingress).name)-tls")
        return result.setting(["metadata", "annotations", "cert-manager.io/cluster-issuer"], .string(issuer))
            .setting(
                ["spec", "tls"],
                .list([.map([("hosts", .list(hosts.map { .string($0) })), ("secretName", .string(name))])]))
    }
}

extension LiveObject {
    /// https://kubernetes.io/docs/concepts/services-networking/ingress/#default-ingress-class
    fileprivate var isDefaultClass: Bool { annotations["ingressclass.kubernetes.io/is-default-class"] == "true" }
}

extension ClusterSession {
    /// Looks up by what means the cluster serves routes; nil where the deployment has none.
    func ingressDefaults() async throws(DeploymentError) -> IngressDefaults? {
        guard model.rendered.objects.contains(where: { $0.kind == "Ingress" }) else { return nil }
        let classes = try await listIfPossible(.ingressClasses)
        return IngressDefaults(classes: classes, issuers: try await listIfPossible(.clusterIssuers) ?? [])
    }

    /// Nil where the kind does not exist in the cluster, or may not be read.
    private func listIfPossible(_ type: ResourceType) async throws(DeploymentError) -> [LiveObject]? {
        do {
            return try await client.list(type, Selection()).items
        } catch {
            if error.code == .forbidden || error.code == .notFound { return nil }
            throw DeploymentError(error)
        }
    }
}
