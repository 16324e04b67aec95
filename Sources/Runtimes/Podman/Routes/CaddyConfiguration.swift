import YAML

/// What Caddy is told: one configuration for the routes of all deployments. Pure, and the same whatever order the routes come in.
///
/// https://caddyserver.com/docs/json/
struct CaddyConfiguration {
    let ports: RoutePorts
    /// The address of each network's name server, which is its gateway.
    let gateways: [String: String]

    /// A route with the deployment that it belongs to.
    private struct Entry {
        var route: DeploymentRoutes.Route
        var network: String
        var isSecure: Bool
    }

    func json(_ deployments: [DeploymentRoutes]) -> [UInt8] {
        Array((node(deployments).json(pretty: true) + "\n").utf8)
    }

    private func node(_ deployments: [DeploymentRoutes]) -> Node {
        let emails = emails(deployments)
        let entries = deployments.flatMap { deployment in
            deployment.routes.map {
                Entry(route: $0, network: $0.network ?? deployment.network, isSecure: emails[$0.host] != nil)
            }
        }.sorted(by: goesFirst)
        var servers: [(String, Node)] = [
            (
                "http",
                .map([
                    ("listen", .list([.string(":\(ports.http)")])),
                    ("automatic_https", .map([("disable", .plain("true"))])),
                    ("routes", .list(entries.compactMap { $0.isSecure ? redirection($0) : proxy($0) } + [nowhere])),
                ])
            )
        ]
        if !emails.isEmpty { servers.append(("https", secureServer(entries))) }
        var apps: [(String, Node)] = [
            (
                "http",
                .map([
                    ("http_port", .plain("\(ports.http)")), ("https_port", .plain("\(ports.https)")),
                    ("servers", .map(servers)),
                ])
            )
        ]
        if !emails.isEmpty { apps.append(("tls", .map([("automation", .map([("policies", policies(emails))]))]))) }
        return .map([
            // What was loaded last is on this host's disk, not in the container.
            ("admin", .map([("config", .map([("persist", .plain("false"))]))])),
            ("apps", .map(apps)),
        ])
    }

    /// The e-mail of each host that gets a certificate; of several deployments', the first by id.
    private func emails(_ deployments: [DeploymentRoutes]) -> [String: String] {
        var result: [String: String] = [:]
        for deployment in deployments.sorted(by: { $0.deployment < $1.deployment }) {
            guard let email = deployment.acmeEmail else { continue }
            for route in deployment.routes where deployment.isSecure(route.host) && result[route.host] == nil {
                result[route.host] = email
            }
        }
        return result
    }

    /// Exact hosts before wildcards, longer paths before shorter ones.
    private func goesFirst(_ one: Entry, _ other: Entry) -> Bool {
        func rank(_ entry: Entry) -> (Int, String, Int, String) {
            let (host, path) = (entry.route.host, entry.route.path)
            return (host.hasPrefix("*") || host.isEmpty ? 1 : 0, host, -path.utf8.count, path)
        }
        return rank(one) < rank(other)
    }

    // MARK: Servers

    private func secureServer(_ entries: [Entry]) -> Node {
        .map([
            ("listen", .list([.string(":\(ports.https)")])),
            // HTTP/3 would need the port's UDP side.
            ("protocols", .list([.string("h1"), .string("h2")])),
            ("automatic_https", .map([("disable_redirects", .plain("true"))])),
            ("routes", .list(entries.filter(\.isSecure).compactMap(proxy) + [nowhere])),
        ])
    }

    private func policies(_ emails: [String: String]) -> Node {
        let hosts = Dictionary(grouping: emails.keys) { emails[$0] ?? "" }
        return .list(
            hosts.sorted { $0.key < $1.key }.map { email, hosts in
                .map([
                    ("subjects", .list(hosts.sorted().map { .string($0) })),
                    ("issuers", .list([.map([("module", .string("acme")), ("email", .string(email))])])),
                ])
            })
    }

    // MARK: Routes

    private func route(_ entry: Entry, _ handler: Node) -> Node {
        .map([("match", .list([matcher(entry.route)])), ("handle", .list([handler])), ("terminal", .plain("true"))])
    }

    /// `/api` is `/api` and everything below it, and not `/apiary`.
    private func matcher(_ route: DeploymentRoutes.Route) -> Node {
        var fields: [(String, Node)] = []
        if !route.host.isEmpty { fields.append(("host", .list([.string(route.host)]))) }
        if route.path != "/" {
            fields.append(("path", .list([.string(route.path), .string(route.path + "/*")])))
        }
        return .map(fields)
    }

    private func redirection(_ entry: Entry) -> Node {
        let port = ports.https == 443 ? "" : ":\(ports.https)"
        let target = Node.string("https://{http.request.host}\(port){http.request.uri}")
        return route(
            entry,
            .map([
                ("handler", .string("static_response")), ("status_code", .plain("308")),
                ("headers", .map([("Location", .list([target]))])),
            ]))
    }

    /// All replicas, by name: each connection asks the deployment's own name server again, so that a pod that was replaced is found at its new
    /// address. A service that is away for a moment is waited for.
    ///
    /// A request that waits when other routes are loaded is let down: the waiting ends with the configuration that it began in. What may be
    /// asked twice is then tried twice more, without any waiting in between, which a name server that lost one question needs.
    private func proxy(_ entry: Entry) -> Node? {
        guard let patient = handler(entry, waits: true), let quick = handler(entry, waits: false) else { return nil }
        let again = subroute(quick, errors: [handling(quick)])
        let asked = Node.map([("method", .list([.string("GET"), .string("HEAD")]))])
        let failed = Node.map([
            ("handler", .string("error")), ("status_code", .string("{http.error.status_code}")),
            ("error", .string("{http.error.message}")),
        ])
        return route(
            entry,
            subroute(
                patient,
                errors: [
                    .map([
                        ("match", .list([asked])), ("handle", .list([again])), ("terminal", .plain("true")),
                    ]), handling(failed),
                ]))
    }

    private func handling(_ handler: Node) -> Node { .map([("handle", .list([handler]))]) }

    /// A handler, and the routes that are taken when it fails.
    private func subroute(_ handler: Node, errors: [Node]) -> Node {
        .map([
            ("handler", .string("subroute")), ("routes", .list([handling(handler)])),
            ("errors", .map([("routes", .list(errors))])),
        ])
    }

    /// - Parameter waits: whether a service that does not answer is asked again for a while.
    private func handler(_ entry: Entry, waits: Bool) -> Node? {
        guard let gateway = gateways[entry.network] else { return nil }
        // The dot keeps the resolver from trying the name in podman's own domain first.
        let names = entry.route.names.isEmpty ? [bracketed(gateway)] : entry.route.names.sorted().map { $0 + "." }
        var fields: [(String, Node)] = [
            ("handler", .string("reverse_proxy")),
            (
                "transport",
                .map([
                    // Podman's name server loses what it is asked while it takes up a container: each try is short, and there are many.
                    ("protocol", .string("http")), ("dial_timeout", .string("500ms")),
                    // Not the one of resolv.conf: among several networks, podman's name server knows only those of the network it is asked in.
                    ("resolver", .map([("addresses", .list([.string("udp/\(bracketed(gateway)):53")]))])),
                ])
            ),
        ]
        if waits {
            fields.append(
                ("load_balancing", .map([("try_duration", .string("10s")), ("try_interval", .string("100ms"))])))
        }
        fields.append(
            ("upstreams", .list(names.map { .map([("dial", .string("\($0):\(entry.route.port)"))]) })))
        return .map(fields)
    }

    private func bracketed(_ address: String) -> String { address.contains(":") ? "[\(address)]" : address }

    private var nowhere: Node {
        .map([
            (
                "handle",
                .list([
                    .map([
                        ("handler", .string("static_response")), ("status_code", .plain("404")),
                        ("body", .string("404: no matching route\n")),
                    ])
                ])
            )
        ])
    }
}
