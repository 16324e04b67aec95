import Compose
import OrderedCollections
import YAML

extension Spec {
    /// Takes over what a validated document says.
    mutating func read(_ node: Node, _ diagnostics: inout Diagnostics) {
        stack = node.text("stack")
        deployTo = node.text("deploy-to").flatMap { DeploymentTarget(rawValue: $0 == "compose" ? "podman" : $0) }
        namespace = node.text("namespace")
        readConfig(node)
        readOverrides(node, &diagnostics)
        readNetwork(node, &diagnostics)
        readStorage(node)
        readPods(node)
        readImages(node)
        readTarget(node)
        readExternalServices(node, &diagnostics)
        extensions = node.extensionKeys
    }

    private mutating func readConfig(_ node: Node) {
        for entry in node.entries("config") {
            let text = entry.value.isNull ? "" : entry.value.text ?? ""
            config[entry.key] = Located(text, at: entry.keyMark)
        }
        configScope = node.text("config-scope").flatMap { ConfigScope(rawValue: $0) } ?? .declared
        envFromHost = node.texts("env-from-host")
        credentialsFiles = node.texts("credentials-files")
        allowedPaths = node.texts("allowed-paths")
    }

    private mutating func readNetwork(_ node: Node, _ diagnostics: inout Diagnostics) {
        guard let section = node.value("network") else { return }
        network.acmeEmail = section.text("acme-email").flatMap { $0.isEmpty ? nil : $0 }
        network.isolates = section.value("isolate")?.boolValue ?? false
        network.disabledDNS = section.texts("disable-dns")
        network.ports = readPorts(section, &diagnostics)
        for proxy in section.items("http-proxy") {
            let routes = proxy.items("routes").compactMap { route -> HTTPProxy.Route? in
                guard let path = route.text("path"), let proxyTo = route.text("proxy-to").flatMap({ RouteTarget($0) })
                else {
                    return nil
                }
                return HTTPProxy.Route(path: path, proxyTo: proxyTo, mark: route.value("proxy-to")?.mark ?? route.mark)
            }
            guard let host = proxy.located("host-name") else { continue }
            if let list = proxy.value("routes")?.sequence, list.isEmpty {
                diagnostics.error("\(host.value) has no routes", at: host.mark, hint: "add a path with its 'proxy-to'")
            }
            network.httpProxies.append(HTTPProxy(hostName: host.value.lowercased(), routes: routes, mark: host.mark))
        }
    }

    private mutating func readStorage(_ node: Node) {
        for entry in node.entries("volumes") {
            volumes[entry.key] = Located(entry.value.isNull ? nil : entry.value.text, at: entry.keyMark)
        }
        configmaps = node.textMap("configmaps")
        for entry in node.entries("secrets") {
            let keys = entry.value.sequence?.compactMap(\.text) ?? []
            secrets[entry.key] = Located(keys, at: entry.keyMark)
        }
        guard let section = node.value("resources")?.value("volumes") else { return }
        resources.volumes = section.storage
        for entry in section.mapping?.entries ?? [] where entry.key != "reservations" {
            resources.byVolume[entry.key] = entry.value.storage
        }
    }

    private mutating func readPods(_ node: Node) {
        if let section = node.value("resources")?.value("containers") {
            resources.containers = section.containerResources
            for entry in section.mapping?.entries ?? [] where !["reservations", "limits"].contains(entry.key) {
                resources.byContainer[entry.key] = entry.value.containerResources
            }
        }
        if let section = node.value("security") {
            security.privileged = section.bool("privileged") ?? false
            security.capabilities = section.texts("capabilities").map(\.value)
            security.unlimitedMemlock = section.bool("unlimited-memlock") ?? false
            security.runtimeClass = section.text("runtime-class")
            security.serviceAccountToken = section.bool("service-account-token") ?? false
            security.serviceAccounts = section.textMap("service-accounts")
            security.privilegeEscalation = section.bool("privilege-escalation") ?? false
            security.seccomp = section.text("seccomp").flatMap { SeccompProfile(rawValue: $0) } ?? .runtimeDefault
        }
        annotations = node.textMap("annotations")
        labels = node.textMap("labels")
        replicas.every = node.integer("replicas")
        for entry in node.entries("replicas") { replicas.services[entry.key] = entry.value.text.flatMap { Int($0) } }
        nodeAffinities = node.items("node-affinities").compactMap { item in
            guard let label = item.text("label"), let value = item.text("value") else { return nil }
            return NodeLabelRule(label: label, value: value, mark: item.mark)
        }
        nodeTolerations = node.items("node-tolerations").compactMap { item in
            guard let key = item.text("key"), let value = item.text("value") else { return nil }
            return NodeToleration(key: key, value: value, mark: item.mark)
        }
    }

    private mutating func readImages(_ node: Node) {
        imageRegistry = node.text("image-registry")
        imagePullPolicy = node.text("image-pull-policy").flatMap { ImagePullPolicy(rawValue: $0) }
        imageOverrides = node.textMap("image-overrides")
        guard let login = node.value("image-pull-secret"), let server = login.text("server"),
            let username = login.text("username")
        else { return }
        imagePullSecret = ImagePullSecret(
            server: server, username: username, tokenEnv: login.text("token-env"), tokenFile: login.text("token-file"),
            mark: login.mark)
    }

    private mutating func readTarget(_ node: Node) {
        kubeConfig = node.located("kube-config")
        kindClusterName = node.text("kind-cluster-name")
        kindNodeImage = node.text("kind-node-image")
        kindMountRoot = node.text("kind-mount-root")
        caddyIngressImage = node.text("caddy-ingress-image")
        maintenanceService = node.located("maintenance-service").flatMap { located in
            RouteTarget(located.value).map { Located($0, at: located.mark) }
        }
        caCertificates = node.texts("ca-certificates")
    }

    private mutating func readExternalServices(_ node: Node, _ diagnostics: inout Diagnostics) {
        for entry in node.entries("external-services") {
            let given = ["host", "ip", "selector"].filter { entry.value.value($0) != nil }
            if given.count != 1 {
                let found = given.isEmpty ? "none" : given.joined(separator: " and ")
                diagnostics.error(
                    "external-services.\(entry.key) needs one of host, ip and selector, and has \(found)",
                    at: entry.keyMark)
            }
            if entry.value.value("namespace") != nil, given != ["selector"] {
                diagnostics.error(
                    "external-services.\(entry.key): 'namespace' goes with 'selector' only", at: entry.keyMark)
            }
            guard let destination = entry.value.destination else { continue }
            externalServices[entry.key] = ExternalService(
                destination: destination, port: entry.value.integer("port") ?? 443, mark: entry.keyMark)
        }
    }
}

extension Node {
    fileprivate var storage: Located<Quantity>? {
        value("reservations")?.located("storage").flatMap { text in
            Quantity(bytes: text.value).map { Located($0, at: text.mark) }
        }
    }

    fileprivate var containerResources: ContainerResources {
        var resources = ContainerResources()
        resources.reservedCPUs = amount("reservations", "cpus", Quantity.init(cpus:))
        resources.reservedMemory = amount("reservations", "memory", Quantity.init(bytes:))
        resources.limitedCPUs = amount("limits", "cpus", Quantity.init(cpus:))
        resources.limitedMemory = amount("limits", "memory", Quantity.init(bytes:))
        return resources
    }

    private func amount(_ section: String, _ key: String, _ read: (String) -> Quantity?) -> Located<Quantity>? {
        value(section)?.located(key).flatMap { text in read(text.value).map { Located($0, at: text.mark) } }
    }

    fileprivate var destination: ExternalService.Destination? {
        if let host = text("host") { return .host(host) }
        if let address = text("ip") { return .address(address) }
        guard value("selector") != nil else { return nil }
        return .selector(textMap("selector").mapValues(\.value), namespace: text("namespace"))
    }
}
