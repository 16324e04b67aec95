import Compose
import OrderedCollections
package import YAML

extension Spec {
    /// The spec as a document that ``parseSpec(_:directory:completeness:diagnostics:)`` reads back equal, without absent keys.
    package var node: Node {
        var pairs: [(String, Node)] = []
        func add(_ key: String, _ node: Node?) {
            if let node, !node.isEmptyCollection { pairs.append((key, node)) }
        }
        add("stack", stack.map { .string($0) })
        add("deploy-to", deployTo.map { .string($0.rawValue) })
        add("namespace", namespace.map { .string($0) })
        add("kube-config", kubeConfig.map { .string($0.value) })
        add("image-registry", imageRegistry.map { .string($0) })
        add("config", .texts(config))
        if configScope != .declared { add("config-scope", .string(configScope.rawValue)) }
        add("env-from-host", .texts(envFromHost))
        add("credentials-files", .texts(credentialsFiles))
        add("allowed-paths", .texts(allowedPaths))
        add("network", network.node)
        add("volumes", .pairs(volumes) { path in path.value.map { .string($0) } ?? .plain("null") })
        add("configmaps", .texts(configmaps))
        add("secrets", .pairs(secrets) { keys in .list(keys.value.map { .string($0) }) })
        add("resources", resources.node)
        add("security", security.node)
        add("annotations", .texts(annotations))
        add("labels", .texts(labels))
        add("replicas", replicas.every.map { .plain(String($0)) } ?? .pairs(replicas.services) { .plain(String($0)) })
        add("node-affinities", .list(nodeAffinities.map { .fields(["label": $0.label, "value": $0.value]) }))
        add("node-tolerations", .list(nodeTolerations.map { .fields(["key": $0.key, "value": $0.value]) }))
        add("image-pull-secret", imagePullSecret?.node)
        add("image-pull-policy", imagePullPolicy.map { .string($0.rawValue) })
        add("image-overrides", .texts(imageOverrides))
        add("kind-cluster-name", kindClusterName.map { .string($0) })
        add("kind-node-image", kindNodeImage.map { .string($0) })
        add("kind-mount-root", kindMountRoot.map { .string($0) })
        add("caddy-ingress-image", caddyIngressImage.map { .string($0) })
        add("maintenance-service", maintenanceService.map { .string($0.value.description) })
        add("external-services", .pairs(externalServices, \.node))
        add("ca-certificates", .texts(caCertificates))
        add("overrides", overridesNode)
        for (key, value) in extensions { pairs.append((key, value)) }
        return .map(pairs)
    }

    private var overridesNode: Node? {
        var entries = overrides?.mapping?.entries ?? []
        if !colocation.isEmpty {
            let pods = colocation.map { name, colocate in
                Node.map([("name", .string(name)), ("colocate", .plain(String(colocate.value)))])
            }
            entries.append(Mapping.Entry(key: "pods", value: .list(pods)))
        }
        return Node(.mapping(Mapping(entries)))
    }
}

extension Node {
    fileprivate static func texts(_ values: OrderedDictionary<String, Located<String>>) -> Node {
        pairs(values) { .string($0.value) }
    }

    fileprivate static func texts(_ values: [Located<String>]) -> Node { list(values.map { .string($0.value) }) }

    fileprivate static func pairs<Value>(
        _ values: OrderedDictionary<String, Value>, _ node: (Value) -> Node
    ) -> Node {
        map(values.map { ($0.key, node($0.value)) })
    }

    fileprivate static func fields(_ values: OrderedDictionary<String, String?>) -> Node {
        map(values.compactMap { key, value in value.map { (key, .string($0)) } })
    }

    fileprivate var isEmptyCollection: Bool {
        switch content {
        case .scalar: false
        case .sequence(let items): items.isEmpty
        case .mapping(let mapping): mapping.entries.isEmpty
        }
    }

    fileprivate static func present(_ pairs: [(String, Node)]) -> Node { map(pairs.filter { !$0.1.isEmptyCollection }) }
}

extension SpecNetwork {
    fileprivate var node: Node {
        let proxies = httpProxies.map { proxy in
            let routes = proxy.routes.map { Node.fields(["path": $0.path, "proxy-to": $0.proxyTo.description]) }
            return Node.map([("host-name", .string(proxy.hostName)), ("routes", .list(routes))])
        }
        let email = acmeEmail.map { [("acme-email", Node.string($0))] } ?? []
        let ports = Node.pairs(ports) { .list($0.map(\.node)) }
        let isolate = isolates ? [("isolate", Node.plain("true"))] : []
        let names = disabledDNS.isEmpty ? [] : [("disable-dns", Node.list(disabledDNS.map { .string($0.value) }))]
        return .present([("ports", ports), ("http-proxy", .list(proxies))] + email + isolate + names)
    }
}

extension PortMapping {
    /// The short form where it can say everything.
    package var node: Node {
        guard name == nil, mode == nil, appProtocol == nil else { return longForm }
        let address = hostIP.map { $0.contains(":") ? "[\($0)]:" : "\($0):" } ?? ""
        let host = published.map { "\(text(of: $0)):" } ?? (hostIP == nil ? "" : ":")
        return .string("\(address)\(host)\(target)\(transport == .tcp ? "" : "/\(transport.rawValue)")")
    }

    private var longForm: Node {
        let pairs: [(String, Node?)] = [
            ("name", name.map { .string($0) }), ("mode", mode.map { .string($0) }),
            ("host_ip", hostIP.map { .string($0) }), ("target", .plain(String(target))),
            ("published", published.map { .string(text(of: $0)) }), ("protocol", .string(transport.rawValue)),
            ("app_protocol", appProtocol.map { .string($0) }),
        ]
        return .map(pairs.compactMap { key, value in value.map { (key, $0) } })
    }

    private func text(of range: ClosedRange<Int>) -> String {
        range.count == 1 ? String(range.lowerBound) : "\(range.lowerBound)-\(range.upperBound)"
    }
}

extension SpecResources {
    fileprivate var node: Node {
        let others = byContainer.map { ($0.key, $0.value.node) }
        let sizes =
            (volumes.map { [("reservations", storage($0))] } ?? [])
            + byVolume.map { name, size in
                (name, .map([("reservations", storage(size))]))
            }
        return .present([("containers", .present(containers.pairs + others)), ("volumes", .map(sizes))])
    }

    private func storage(_ size: Located<Quantity>) -> Node { .map([("storage", .string(size.value.text))]) }
}

extension ContainerResources {
    fileprivate var pairs: [(String, Node)] {
        let reservations = Node.fields(["cpus": reservedCPUs?.value.text, "memory": reservedMemory?.value.text])
        let limits = Node.fields(["cpus": limitedCPUs?.value.text, "memory": limitedMemory?.value.text])
        return [("reservations", reservations), ("limits", limits)]
    }

    fileprivate var node: Node { .present(pairs) }
}

extension SpecSecurity {
    fileprivate var node: Node {
        var pairs: [(String, Node)] = []
        if privileged { pairs.append(("privileged", .plain("true"))) }
        if !capabilities.isEmpty { pairs.append(("capabilities", .list(capabilities.map { .string($0) }))) }
        if unlimitedMemlock { pairs.append(("unlimited-memlock", .plain("true"))) }
        if let runtimeClass { pairs.append(("runtime-class", .string(runtimeClass))) }
        if serviceAccountToken { pairs.append(("service-account-token", .plain("true"))) }
        if !serviceAccounts.isEmpty { pairs.append(("service-accounts", .texts(serviceAccounts))) }
        if privilegeEscalation { pairs.append(("privilege-escalation", .plain("true"))) }
        if seccomp != .runtimeDefault { pairs.append(("seccomp", .string(seccomp.rawValue))) }
        return .map(pairs)
    }
}

extension ImagePullSecret {
    fileprivate var node: Node {
        .fields(["server": server, "username": username, "token-env": tokenEnv, "token-file": tokenFile])
    }
}

extension ExternalService {
    fileprivate var node: Node {
        var pairs: [(String, Node)] = []
        switch destination {
        case .host(let host): pairs.append(("host", .string(host)))
        case .address(let address): pairs.append(("ip", .string(address)))
        case .selector(let labels, let namespace):
            pairs.append(("selector", .map(labels.map { ($0.key, .string($0.value)) })))
            if let namespace { pairs.append(("namespace", .string(namespace))) }
        }
        return .map(pairs + [("port", .plain(String(port)))])
    }
}

extension Spec {
    /// The spec with what another one says over it, key by key; lists are taken whole.
    package func merged(with other: Spec) -> Spec {
        var diagnostics = Diagnostics()
        let merged = node.merged(with: other.node)
        return parseSpec(merged, directory: directory, completeness: .fragment, diagnostics: &diagnostics) ?? other
    }
}

extension Node {
    fileprivate func merged(with other: Node) -> Node {
        guard var mine = mapping, let theirs = other.mapping else { return other }
        for entry in theirs.entries { mine[entry.key] = mine[entry.key]?.merged(with: entry.value) ?? entry.value }
        return Node(.mapping(mine), mark: mark)
    }
}
