import Compose
import OrderedCollections
import YAML

extension SpecNetwork {
    static let table = SpecTable<SpecNetwork>([
        SpecKey("ports", \.ports, .ports, "the ports that replace a service's own"),
        SpecKey("http-proxy", \.httpProxies, .list(HTTPProxy.format), "routes by host name"),
        SpecKey(
            "acme-email", optional: \.acmeEmail, .text.converted({ $0.isEmpty ? nil : $0 }, { $0 }),
            "the address for certificates"),
        SpecKey("isolate", \.isolates, .flag, "whether services that share no compose network are kept apart"),
        SpecKey(
            "disable-dns", \.disabledDNS, .list(.located(.text(.nonEmpty))),
            "compose networks without a name server of their own"),
    ])
}

extension HTTPProxy {
    fileprivate static let format = ValueFormat<HTTPProxy>.record(
        SpecTable([
            SpecKey(
                "host-name", \.hostName, .text(.hostName).converted({ $0.lowercased() }, { $0 }), required: true,
                "the host's name"),
            SpecKey("routes", \.routes, .list(Route.format), required: true, "the paths and who answers them"),
        ]), markedBy: "host-name"
    ) {
        HTTPProxy(hostName: "", routes: [], mark: $0)
    }.checked { node, proxy, diagnostics in
        guard let routes = node.value("routes")?.sequence, routes.isEmpty else { return }
        diagnostics.error(
            "\(node.text("host-name") ?? "") has no routes", at: proxy.mark, hint: "add a path with its 'proxy-to'")
    }
}

extension HTTPProxy.Route {
    fileprivate static let format = ValueFormat<HTTPProxy.Route>.record(
        SpecTable([
            SpecKey("path", \.path, .text(.urlPath), required: true, "the path, beginning with '/'"),
            SpecKey(
                "proxy-to", \.proxyTo, .servicePort, required: true, "the service and its port, such as web:8080"),
        ]), markedBy: "proxy-to"
    ) {
        HTTPProxy.Route(path: "", proxyTo: RouteTarget(service: "", port: 0), mark: $0)
    }
}

extension SpecResources {
    static let table = SpecTable<SpecResources>([
        SpecKey(
            "containers",
            SpecTable(
                ContainerResources.keys.within(\.containers).keys,
                others: OtherKeys(\.byContainer, .record(ContainerResources.keys) { _ in ContainerResources() })),
            "requests and limits"),
        SpecKey(
            "volumes",
            SpecTable(
                VolumeResources.keys.within(\.everyVolume).keys,
                others: OtherKeys(
                    \.byVolume,
                    ValueFormat<VolumeResources>.record(VolumeResources.keys) { _ in VolumeResources() }
                        .converted({ $0.storage }, { VolumeResources(storage: $0) }))),
            "sizes"),
    ])

    fileprivate var everyVolume: VolumeResources {
        get { VolumeResources(storage: volumes) }
        set { volumes = newValue.storage }
    }
}

extension ContainerResources {
    fileprivate static let keys = SpecTable<ContainerResources>([
        SpecKey("reservations", amounts(\.reservedCPUs, \.reservedMemory), "what a container is sure of"),
        SpecKey("limits", amounts(\.limitedCPUs, \.limitedMemory), "what a container may use"),
    ])

    private typealias Path = any WritableKeyPath<ContainerResources, Located<Quantity>?> & Sendable

    private static func amounts(_ cpus: Path, _ memory: Path) -> SpecTable<ContainerResources> {
        SpecTable([
            SpecKey("cpus", optional: cpus, .cpus, "CPUs, such as 0.5"),
            SpecKey("memory", optional: memory, .bytes, "memory, such as 512M"),
        ])
    }
}

/// What `resources.volumes` says about one volume, or all.
private struct VolumeResources: Sendable {
    var storage: Located<Quantity>?

    static let keys = SpecTable<VolumeResources>([
        SpecKey(
            "reservations", SpecTable([SpecKey("storage", optional: \.storage, .bytes, "a size, such as 5Gi")]),
            "what a volume is sure of")
    ])
}

extension SpecSecurity {
    static let table = SpecTable<SpecSecurity>([
        SpecKey("privileged", \.privileged, .flag, "whether containers have every privilege"),
        SpecKey("capabilities", \.capabilities, .list(.text(.nonEmpty)), "capabilities to add"),
        SpecKey(
            "unlimited-memlock", \.unlimitedMemlock, .flag, "whether containers may lock any amount of memory"),
        SpecKey("runtime-class", optional: \.runtimeClass, .text(.label), "the RuntimeClass of every pod"),
        SpecKey(
            "service-account-token", \.serviceAccountToken, .flag,
            "whether pods are given a token for the cluster's API"),
        SpecKey(
            "service-accounts", \.serviceAccounts, .map(.name, .located(.text(.label))),
            "the ServiceAccount of a service's pods, whose token they are given"),
        SpecKey(
            "privilege-escalation", \.privilegeEscalation, .flag,
            "whether programs may gain privileges: setuid, such as sudo"),
        SpecKey(
            "seccomp", \.seccomp, .choice(implied: .runtimeDefault), "the system calls that are allowed"),
    ])
}

extension NodeLabelRule {
    static let table = SpecTable<NodeLabelRule>([
        SpecKey("label", \.label, .text(.nonEmpty), required: true, "a node's label"),
        SpecKey("value", \.value, .text, required: true, "its value"),
    ])
}

extension NodeToleration {
    static let table = SpecTable<NodeToleration>([
        SpecKey("key", \.key, .text(.nonEmpty), required: true, "a taint's key"),
        SpecKey("value", \.value, .text, required: true, "its value"),
    ])
}

extension ImagePullSecret {
    static let table = SpecTable<ImagePullSecret>([
        SpecKey("server", \.server, .text(.nonEmpty), required: true, "the registry's host"),
        SpecKey("username", \.username, .text(.nonEmpty), required: true, "the user's name"),
        SpecKey("token-env", optional: \.tokenEnv, .text(.variable), "the variable that holds the token"),
        SpecKey("token-file", optional: \.tokenFile, .text(.nonEmpty), "the file that holds the token"),
    ])
}
