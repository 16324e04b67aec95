package import Compose
package import OrderedCollections
package import YAML

/// The spec's `network`.
package struct SpecNetwork: Hashable, Sendable {
    /// By the service's name: the ports that replace its own. Present and empty: the service publishes none.
    package var ports: OrderedDictionary<String, [PortMapping]> = [:]
    package var httpProxies: [HTTPProxy] = []
    package var acmeEmail: String?
    /// Whether services that share no compose network are kept apart.
    package var isolates = false
    /// The keys of compose networks whose own name server is off; on a cluster, what is in such networks alone does without the cluster's.
    package var disabledDNS: [Located<String>] = []

    package init() {}
}

/// An entry of `network.http-proxy`: one host name with its routes.
package struct HTTPProxy: Hashable, Sendable {
    /// A path of the host and the service that answers there.
    package struct Route: Hashable, Sendable {
        /// Begins with `/`.
        package var path: String
        package var proxyTo: RouteTarget
        package var mark: Mark

        package init(path: String, proxyTo: RouteTarget, mark: Mark = .generated) {
            self.path = path
            self.proxyTo = proxyTo
            self.mark = mark
        }
    }

    package var hostName: String
    package var routes: [Route]
    package var mark: Mark

    package init(hostName: String, routes: [Route], mark: Mark = .generated) {
        self.hostName = hostName
        self.routes = routes
        self.mark = mark
    }
}

/// The spec's `resources`.
package struct SpecResources: Hashable, Sendable {
    /// What every container gets that nothing more exact sets.
    package var containers = ContainerResources()
    /// By the service's name; above what compose says.
    package var byContainer: OrderedDictionary<String, ContainerResources> = [:]
    /// The size of every volume that nothing more exact sets.
    package var volumes: Located<Quantity>?
    package var byVolume: OrderedDictionary<String, Located<Quantity>> = [:]

    package init() {}
}

/// Requests and limits of a container.
package struct ContainerResources: Hashable, Sendable {
    package var reservedCPUs: Located<Quantity>?
    package var reservedMemory: Located<Quantity>?
    package var limitedCPUs: Located<Quantity>?
    package var limitedMemory: Located<Quantity>?

    package init() {}

    package var isEmpty: Bool { self == ContainerResources() }
}

/// The spec's `replicas`: of every service, or by the service's name.
package struct SpecReplicas: Hashable, Sendable {
    package var every: Int?
    package var services: OrderedDictionary<String, Int> = [:]

    package init() {}

    /// How many pods a service has; nil where its compose file says it.
    package subscript(service: String) -> Int? { services[service] ?? every }
}

/// The spec's `security`.
package struct SpecSecurity: Hashable, Sendable {
    package var privileged = false
    package var capabilities: [String] = []
    package var unlimitedMemlock = false
    package var runtimeClass: String?
    /// Whether pods are given a token for the cluster's API.
    package var serviceAccountToken = false
    /// By the service's name: the ServiceAccount of its pods, whose token they alone are given.
    package var serviceAccounts: OrderedDictionary<String, Located<String>> = [:]
    /// Whether programs may gain privileges that their caller lacks: setuid, file capabilities.
    package var privilegeEscalation = false
    package var seccomp = SeccompProfile.runtimeDefault

    package init() {}
}

/// An entry of `node-affinities`: pods go to nodes whose label has the value.
package struct NodeLabelRule: Hashable, Sendable {
    package var label: String
    package var value: String
    package var mark: Mark

    package init(label: String, value: String, mark: Mark = .generated) {
        self.label = label
        self.value = value
        self.mark = mark
    }
}

/// An entry of `node-tolerations`: pods may go to nodes with the taint.
package struct NodeToleration: Hashable, Sendable {
    package var key: String
    package var value: String
    package var mark: Mark

    package init(key: String, value: String, mark: Mark = .generated) {
        self.key = key
        self.value = value
        self.mark = mark
    }
}

/// An entry of `external-services`: a name that leads out of the deployment.
package struct ExternalService: Hashable, Sendable {
    package enum Destination: Hashable, Sendable {
        /// A DNS name.
        case host(String)
        /// An IPv4 or IPv6 address.
        case address(String)
        /// Pods of another namespace; of the deployment's own where it is nil.
        case selector(OrderedDictionary<String, String>, namespace: String?)
    }

    package var destination: Destination
    package var port: Int
    package var mark: Mark

    package init(destination: Destination, port: Int = 443, mark: Mark = .generated) {
        self.destination = destination
        self.port = port
        self.mark = mark
    }
}
