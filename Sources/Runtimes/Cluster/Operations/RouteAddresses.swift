import KubernetesObjects
import Rendering

extension DeploymentModel {
    /// Where the routes of its Ingresses answer, once a controller serves them.
    ///
    /// Over TLS where the Ingress has a certificate, or the controller of kind gets one for a public name.
    var routeAddresses: [RouteAddress] {
        rendered.objects.flatMap { object -> [RouteAddress] in
            guard case .ingress(let ingress) = object else { return [] }
            let isCertified = ingress.metadata.annotations?[Keys.acmeEmail] != nil
            return ingress.spec.rules.flatMap { rule in
                let host = rule.host ?? ""
                let isSecure = ingress.spec.tls != nil || (isCertified && isPublicName(host))
                return rule.http.paths.map { path in
                    RouteAddress(
                        service: workload(behind: path.backend.service.name),
                        url: "\(isSecure ? "https" : "http")://\(host)\(path.path)")
                }
            }
        }
    }

    private func workload(behind name: String) -> String {
        for case .service(let service) in rendered.objects where service.metadata.name == name {
            return service.spec.selector?[Keys.name] ?? name
        }
        return name
    }
}
