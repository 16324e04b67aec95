import KubernetesObjects
package import Rendering
package import Specs

extension RenderedDeployment {
    /// The same deployment with every route leading to the maintenance service: what stands in the cluster while pods are replaced.
    ///
    /// The Ingresses keep their names, hosts and certificates; only backends differ, so that applying the deployment itself leads every route
    /// back, also from a restart that was killed in between.
    package func routed(to service: RouteTarget) -> RenderedDeployment {
        var result = self
        result.objects = objects.map { object in
            guard case .ingress(var ingress) = object else { return object }
            for rule in ingress.spec.rules.indices {
                for path in ingress.spec.rules[rule].http.paths.indices {
                    ingress.spec.rules[rule].http.paths[path].backend.service.name = Names.label(service.service)
                    ingress.spec.rules[rule].http.paths[path].backend.service.port.number = service.port
                }
            }
            return .ingress(ingress)
        }
        return result
    }
}
