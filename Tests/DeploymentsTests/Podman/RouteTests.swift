import Compose
import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering
import TestSupport
import Testing
import YAML

@testable import Runtimes

@Suite struct RouteTests {
    private func routes(
        _ id: String, email: String? = nil, _ routes: [(host: String, path: String, names: [String])]
    ) -> DeploymentRoutes {
        DeploymentRoutes(
            deployment: id, owner: "/d/\(id)", network: "so-\(id)", acmeEmail: email,
            routes: routes.map {
                DeploymentRoutes.Route(host: $0.host, path: $0.path, service: "web", port: 8080, names: $0.names)
            })
    }

    private func caddy(_ all: [DeploymentRoutes], http: Int = 80, https: Int = 443) throws -> Node {
        let gateways = ["so-a": "10.89.0.1", "so-b": "10.89.1.1", "so-c": "fd00::1"]
        let bytes = CaddyConfiguration(ports: RoutePorts(http: http, https: https), gateways: gateways).json(all)
        return try loadYAMLDocument(bytes, file: "caddy.json")
    }

    private func served(_ node: Node, _ server: String = "http") -> [Node] {
        node.at("apps", "http", "servers", server, "routes")?.sequence ?? []
    }

    private func text(_ node: Node?) -> String { node?.json() ?? "" }

    // MARK: From Ingresses

    private func translate(_ fixture: Fixture) -> PodTranslator.Result {
        var translator = PodTranslator(model: fixture.model, secrets: [:], storedSecrets: [], key: [1])
        return translator.translate()
    }

    private func fixture(_ rules: [IngressRule], email: String? = nil) -> Fixture {
        var fixture = Fixture(directory: "/d", namespace: "so-x", image: "image:1", id: "i")
        var metadata = ObjectMeta(name: "i")
        if let email { metadata.annotations = [Keys.acmeEmail: email] }
        fixture.rendered.objects.append(
            .ingress(Ingress(metadata: metadata, spec: IngressSpec(rules: rules))))
        return fixture
    }

    @Test func `a route leads to every replica, by names that no other deployment has`() {
        let paths = [
            IngressPath(path: "/", service: "web", port: 8080), IngressPath(path: "/api/", service: "duo", port: 80),
            IngressPath(path: "/api", service: "web", port: 81),
        ]
        var fixture = fixture([IngressRule(host: "App.localhost", paths: paths)], email: "a@b.c")
        fixture.add([fixture.container("web", "run")], replicas: 2)
        fixture.add([fixture.container("duo", "run"), fixture.container("side", "run")])
        let result = translate(fixture)
        #expect(result.findings.isEmpty, "\(result.findings)")
        #expect(result.routes.acmeEmail == "a@b.c" && result.routes.network == "so-x")
        #expect(
            result.routes.routes == [
                DeploymentRoutes.Route(
                    host: "app.localhost", path: "/", service: "web", port: 8080,
                    names: ["so-x_web_web", "so-x_web.2_web"]),
                DeploymentRoutes.Route(
                    host: "app.localhost", path: "/api", service: "duo", port: 80, names: ["so-x_duo"]),
            ])
    }

    @Test func `a service on the host's network is reached at the gateway, and one in no network is told`() {
        var fixture = fixture([
            IngressRule(
                host: "a.localhost",
                paths: [
                    IngressPath(path: "/", service: "web", port: 8080),
                    IngressPath(path: "/none", service: "none", port: 1),
                ])
        ])
        fixture.add([fixture.container("web", "run")]) { $0.hostNetwork = true }
        let result = translate(fixture)
        #expect(result.routes.routes.map(\.names) == [[]])
        #expect(
            result.findings.map(\.description).joined().contains("the route a.localhost/none to none is not served"))
    }

    // MARK: Names

    @Test(arguments: [
        ("app.example.com", true), ("localhost", false), ("app.localhost", false), ("a.local", false),
        ("a.test", false),
        ("a.internal", false), ("10.1.2.3", false), ("::1", false), ("host", false), ("*.example.com", false),
        ("printer.home.arpa", false), ("localhost.com", true),
    ])
    func `only public names get certificates`(_ host: String, _ isPublic: Bool) {
        #expect(isPublicName(host) == isPublic)
    }

    @Test func `addresses name the port only where it is not the usual one`() {
        let plain = routes("a", [("app.localhost", "/", ["w"]), ("app.localhost", "/api", ["w"])])
        #expect(
            plain.addresses(RoutePorts(http: 80, https: 443)).map(\.url)
                == ["http://app.localhost/", "http://app.localhost/api"])
        let secure = routes("a", email: "a@b.c", [("app.example.com", "/", ["w"]), ("x.local", "/", ["w"])])
        #expect(
            secure.addresses(RoutePorts(http: 8080, https: 8443)).map(\.url)
                == ["https://app.example.com:8443/", "http://x.local:8080/"])
    }

    // MARK: Caddy

    @Test func `each deployment's routes lead into its own network, longer paths first, and nothing leads elsewhere`()
        throws
    {
        let a = routes("a", [("*.b.localhost", "/", ["a_web"]), ("a.localhost", "/", ["a_2", "a_1"])])
        let b = routes("b", [("a.localhost", "/api", ["b_web"])])
        let node = try caddy([a, b], http: 8080, https: 8443)
        #expect(try node == caddy([b, a], http: 8080, https: 8443))
        let served = served(node)
        #expect(
            served.map { text($0.at("match")) } == [
                #"[{"host":["a.localhost"],"path":["/api","/api/*"]}]"#, #"[{"host":["a.localhost"]}]"#,
                #"[{"host":["*.b.localhost"]}]"#, "",
            ])
        let tries = served.map { $0.at("handle")?.sequence?.first }
        let proxies = tries.map { $0?.at("routes")?.sequence?.first?.at("handle")?.sequence?.first }
        #expect(
            proxies.map { text($0?.at("upstreams")) } == [
                #"[{"dial":"b_web.:8080"}]"#, #"[{"dial":"a_1.:8080"},{"dial":"a_2.:8080"}]"#,
                #"[{"dial":"a_web.:8080"}]"#, "",
            ])
        #expect(
            proxies.prefix(2).map { text($0?.at("transport", "resolver", "addresses")) } == [
                #"["udp/10.89.1.1:53"]"#, #"["udp/10.89.0.1:53"]"#,
            ])
        // Only what may be asked twice is tried again once the waiting has ended, and nothing is answered in its place.
        let again = tries.prefix(2).map { $0?.at("errors", "routes")?.sequence ?? [] }
        #expect(
            again.map { text($0.first?.at("match")) } == Array(repeating: #"[{"method":["GET","HEAD"]}]"#, count: 2))
        #expect(again.allSatisfy { text($0.last?.at("handle")).contains("{http.error.status_code}") })
        let last = text(served.last?.at("handle"))
        #expect(last.contains("404"))
        #expect(text(node.at("apps", "http", "servers", "http", "listen")) == #"[":8080"]"#)
        #expect(node.at("apps", "http", "servers", "https") == nil && node.at("apps", "tls") == nil)
    }

    @Test func `what runs on the host's network is dialled at the gateway`() throws {
        let node = try caddy([routes("c", [("c.localhost", "/", [])])])
        let route = text(served(node).first)
        #expect(route.contains(#""dial":"[fd00::1]:8080""#))
    }

    @Test func `a public name with an e-mail is served by HTTPS, and plain HTTP leads there`() throws {
        let node = try caddy(
            [routes("a", email: "a@b.c", [("app.example.com", "/", ["w"]), ("app.localhost", "/", ["w"])])],
            http: 8080, https: 8443)
        let plain = served(node).map { text($0.at("handle")) }
        #expect(plain[0].contains("308") && plain[0].contains("https://{http.request.host}:8443{http.request.uri}"))
        #expect(plain[1].contains("reverse_proxy"))
        #expect(served(node, "https").count == 2)
        #expect(
            text(node.at("apps", "tls", "automation", "policies"))
                == #"[{"subjects":["app.example.com"],"issuers":[{"module":"acme","email":"a@b.c"}]}]"#)
    }

    @Test(.caddy) func `Caddy takes every configuration`() async throws {
        let program = try #require(Caddy.program)
        let all = [
            routes("a", email: "a@b.c", [("app.example.com", "/", ["w"]), ("app.localhost", "/api", ["w", "v"])]),
            routes("b", [("10.0.0.1", "/", []), ("*.localhost", "/", ["x_y.2_z"])]),
            routes("c", email: "d@b.c", [("other.example.com", "/", []), ("app.example.com", "/x", ["w"])]),
        ]
        try await withTemporaryDirectory { directory in
            for set in [all, [all[1]], []] {
                let file = directory + "/caddy.json"
                try write(caddy(set).json(), to: file)
                let checked = try await run(program, ["validate", "--config", file], environment: ["HOME": directory])
                #expect(checked.succeeded, "\(checked)")
            }
        }
    }

    // MARK: Decisions

    @Test func `the same host and path belong to one deployment`() {
        let a = routes("a", [("h.localhost", "/", ["w"]), ("h.localhost", "/api", ["w"])])
        #expect(a.collision(with: [a]) == nil)
        #expect(a.collision(with: [routes("b", [("h.localhost", "/other", ["w"])])]) == nil)
        let found = a.collision(with: [routes("b", [("h.localhost", "/api", ["x"])])])
        #expect(found?.route.path == "/api" && found?.other.owner == "/d/b")
    }

    private func container(
        _ settings: RouteSettings, networks: [String], ports: String = "80/443", state: String = "running"
    ) throws -> PodmanContainerRecord {
        let labels = [
            PodmanNames.routes: settings.name, PodmanNames.routesDirectory: settings.directory,
            PodmanNames.routesPorts: ports,
        ].map { "\"\($0.key)\":\"\($0.value)\"" }.joined(separator: ",")
        let networks = networks.map { "\"\($0)\"" }.joined(separator: ",")
        let json = #"{"Id":"1","State":"\#(state)","Labels":{\#(labels)},"Networks":[\#(networks)]}"#
        return try JSONDecoder().decode(PodmanContainerRecord.self, from: Data(json.utf8))
    }

    @Test func `nothing is done where the routes are served as they should be`() throws {
        let settings = RouteSettings(environment: ["HOME": "/h"])
        let wanted = routes("a", [("h.localhost", "/", ["w"])])
        var state = RouteState(wanted: wanted, settings: settings)
        #expect(!state.isSettled && state.items.map(\.action) == [.create, .create])
        state.own = wanted
        state.container = try container(settings, networks: ["so-routes", "so-a"])
        #expect(state.isSettled && state.items.allSatisfy { $0.action == .keep })
        state.isPending = true
        #expect(!state.isSettled)
        state.isPending = false
        state.container = try container(settings, networks: ["so-routes"])
        #expect(!state.isSettled && state.items.map(\.action) == [.update, .keep])
        state.container = try container(settings, networks: ["so-a"], state: "exited")
        #expect(!state.isSettled && state.items.map(\.action) == [.replace, .keep])
        state.container = try container(settings, networks: ["so-a"])
        state.own = routes("a", [("h.localhost", "/", ["v"]), ("gone.localhost", "/", ["w"])])
        #expect(state.items.map(\.action) == [.keep, .update, .remove])
        let none = RouteState(wanted: routes("a", []), settings: settings)
        #expect(none.isIdle && none.isSettled && none.items.isEmpty)
    }

    @Test func `the ports are those of the pod that runs, unless the environment names others`() throws {
        let usual = RouteSettings(environment: ["HOME": "/h"])
        let wanted = routes("a", [("h.localhost", "/", ["w"])])
        var state = RouteState(wanted: wanted, settings: usual)
        #expect(state.ports == RoutePorts(http: 80, https: 443))
        state.container = try container(usual, networks: [], ports: "8080/8443")
        #expect(state.ports == RoutePorts(http: 8080, https: 8443) && state.isServing)
        let other = RouteSettings(environment: ["HOME": "/h", "SO_HTTP_PORT": "81"])
        var moved = RouteState(wanted: wanted, settings: other)
        moved.container = state.container
        #expect(moved.ports == RoutePorts(http: 81, https: 8443) && !moved.isServing)
    }

    @Test func `the pod is told its networks, ports and configuration, and its own network is the first`() {
        let settings = RouteSettings(environment: ["XDG_STATE_HOME": "/s"], image: "c:1")
        let pod = RoutePod(podman: Fixture.podman, settings: settings) { _ in }
        #expect(
            pod.containerOptions(RoutePorts(http: 80, https: 8443), ["so-a", "so-b"]) == [
                "--network", "so-routes", "--network", "so-a", "--network", "so-b", "--publish", "80:80", "--publish",
                "8443:8443", "--restart", "always", "--user", "0", "--log-driver", "k8s-file", "--mount",
                "type=bind,source=/s/so/routes/caddy,destination=/so,readonly", "--volume", "so-routes-data:/data",
                "--env", "XDG_DATA_HOME=/data", "--env", "XDG_CONFIG_HOME=/data", "--entrypoint", "[\"caddy\"]", "c:1",
                "run", "--config", "/so/caddy.json",
            ])
    }

    @Test func `settings are read from the environment, and wrong ones are named`() {
        #expect(RouteSettings(environment: ["HOME": "/h"]).directory == "/h/.local/state/so/routes")
        let named = RouteSettings(environment: ["XDG_STATE_HOME": "/s", "SO_ROUTES_NAME": "so-other"], image: "c:1")
        #expect(
            named.directory == "/s/so/so-other" && named.container == "so-other_caddy" && named.effectiveImage == "c:1")
        for (name, value) in [("SO_HTTP_PORT", "x"), ("SO_HTTPS_PORT", "70000"), ("SO_ROUTES_NAME", "../x")] {
            #expect(RouteSettings(environment: [name: value]).problem?.contains(name) == true)
        }
        #expect(RouteSettings(environment: ["SO_HTTP_PORT": "81", "SO_HTTPS_PORT": "81"]).problem != nil)
    }

    @Test func `routes are written and read back, and a stranger's file is named`() async throws {
        try await withTemporaryDirectory { directory in
            let store = RouteStore(settings: RouteSettings(environment: ["XDG_STATE_HOME": directory]))
            #expect(try store.all() == [])
            let a = routes("a", email: "a@b.c", [("h.localhost", "/", ["w"])])
            try await store.locked {
                try store.write(routes("b", []), of: "b")
                try store.write(a, of: "a")
            }
            #expect(try store.routes(of: "a") == a && store.all().map(\.deployment) == ["a", "b"])
            try store.write(nil, of: "b")
            #expect(try store.all() == [a])
            try write("{}", to: store.settings.directory + "/c.json")
            #expect(throws: DeploymentError.self) { try store.all() }
        }
    }
}
