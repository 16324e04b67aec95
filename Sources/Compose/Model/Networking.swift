package import OrderedCollections
package import YAML

/// An entry of a service's `ports`, in long form, for one port of the container.
package struct PortMapping: Hashable, Sendable {
    package var name: String?
    /// `host` or `ingress`; nil where it was not written.
    package var mode: String?
    /// Without brackets.
    package var hostIP: String?
    /// The container's port, 1…65535.
    package var target: Int
    /// The host's port; a range of several means any free one of them. nil: any free port.
    package var published: ClosedRange<Int>?
    package var transport: Transport
    package var appProtocol: String?
    package var mark: Mark

    package init(
        target: Int, published: ClosedRange<Int>? = nil, transport: Transport = .tcp, hostIP: String? = nil,
        name: String? = nil, mode: String? = nil, appProtocol: String? = nil, mark: Mark = .generated
    ) {
        self.target = target
        self.published = published
        self.transport = transport
        self.hostIP = hostIP
        self.name = name
        self.mode = mode
        self.appProtocol = appProtocol
        self.mark = mark
    }
}

/// The protocol of a port.
package enum Transport: String, Hashable, Sendable, CaseIterable {
    case tcp, udp, sctp
}

/// An entry of `expose`; a range is one entry for each port.
package struct ExposedPort: Hashable, Sendable {
    package var port: Int
    package var transport: Transport
    package var mark: Mark

    package init(port: Int, transport: Transport = .tcp, mark: Mark = .generated) {
        self.port = port
        self.transport = transport
        self.mark = mark
    }
}

/// A service's place in one network.
package struct ServiceNetwork: Hashable, Sendable {
    package var aliases: [String] = []
    package var interfaceName: String?
    package var ipv4Address: String?
    package var ipv6Address: String?
    package var linkLocalIPs: [String] = []
    package var macAddress: String?
    package var driverOpts: OrderedDictionary<String, String> = [:]
    package var priority: Int?
    package var gwPriority: Int?
    /// The keys that the files set.
    package var keys: [String: Mark] = [:]
    package var mark: Mark

    package init(aliases: [String] = [], mark: Mark = .generated) {
        self.aliases = aliases
        self.mark = mark
    }
}

/// A project's network.
package struct Network: Hashable, Sendable {
    package var key: String
    /// The name on the engine: `name:`, else `<project>_<key>`, else the key if it is external.
    package var name: String
    package var isNamed: Bool = false
    package var isExternal: Bool = false
    package var driver: String?
    package var driverOpts: OrderedDictionary<String, String> = [:]
    package var ipam: IPAM?
    package var isInternal: Bool?
    package var attachable: Bool?
    package var enableIPv4: Bool?
    package var enableIPv6: Bool?
    package var labels: OrderedDictionary<String, String> = [:]
    package var extensions: OrderedDictionary<String, Node> = [:]
    package var keys: [String: Mark] = [:]
    package var mark: Mark

    package init(key: String, name: String, mark: Mark = .generated) {
        self.key = key
        self.name = name
        self.mark = mark
    }
}

package struct IPAM: Hashable, Sendable {
    package struct Pool: Hashable, Sendable {
        package var subnet: String?
        package var ipRange: String?
        package var gateway: String?
        package var auxAddresses: OrderedDictionary<String, String> = [:]

        package init() {}
    }

    package var driver: String?
    package var pools: [Pool] = []
    package var options: OrderedDictionary<String, String> = [:]

    package init() {}
}

/// An entry of `links` or `external_links`: `name[:alias]`.
package struct Link: Hashable, Sendable {
    package var name: String
    /// The name itself where none was written.
    package var alias: String
    package var mark: Mark

    package init(name: String, alias: String? = nil, mark: Mark = .generated) {
        self.name = name
        self.alias = alias ?? name
        self.mark = mark
    }
}

/// An entry of `extra_hosts`; a host with several addresses is one entry for each.
package struct ExtraHost: Hashable, Sendable {
    package var host: String
    /// An address without brackets, or `host-gateway`.
    package var address: String
    package var mark: Mark

    package init(host: String, address: String, mark: Mark = .generated) {
        self.host = host
        self.address = address
        self.mark = mark
    }
}
