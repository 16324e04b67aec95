/// HTTP routes from hosts and paths to Services.
package struct Ingress: KubernetesResource {
    package private(set) var apiVersion = "networking.k8s.io/v1"
    package private(set) var kind = "Ingress"
    package var metadata: ObjectMeta
    package var spec: IngressSpec

    package init(metadata: ObjectMeta, spec: IngressSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

package struct IngressSpec: Codable, Hashable, Sendable {
    package var ingressClassName: String?
    package var tls: [IngressTLS]?
    package var rules: [IngressRule]

    package init(ingressClassName: String? = nil, tls: [IngressTLS]? = nil, rules: [IngressRule]) {
        self.ingressClassName = ingressClassName
        self.tls = tls
        self.rules = rules
    }
}

package struct IngressTLS: Codable, Hashable, Sendable {
    package var hosts: [String]
    package var secretName: String?

    package init(hosts: [String], secretName: String? = nil) {
        self.hosts = hosts
        self.secretName = secretName
    }
}

package struct IngressRule: Codable, Hashable, Sendable {
    package struct HTTP: Codable, Hashable, Sendable {
        package var paths: [IngressPath]
    }

    package var host: String?
    package var http: HTTP

    package init(host: String?, paths: [IngressPath]) {
        self.host = host
        http = HTTP(paths: paths)
    }
}

package struct IngressPath: Codable, Hashable, Sendable {
    package struct Port: Codable, Hashable, Sendable {
        package var name: String?
        package var number: Int?
    }

    package struct Service: Codable, Hashable, Sendable {
        package var name: String
        package var port: Port
    }

    package struct Backend: Codable, Hashable, Sendable {
        package var service: Service
    }

    package var path: String
    package var pathType: String
    package var backend: Backend

    /// A prefix path to a port of a Service.
    package init(path: String, service: String, port: Int) {
        self.path = path
        pathType = "Prefix"
        backend = Backend(service: Service(name: service, port: Port(name: nil, number: port)))
    }
}
