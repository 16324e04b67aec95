import Compose
import OrderedCollections
import Testing
import YAML

@testable import Specs

@Suite struct SpecTests {
    static let whole = """
        stack: demo
        deploy-to: k8s
        namespace: ns
        kube-config: ~/.kube/config
        image-registry: registry.io/x
        config: {A: yes, B: 0755, C: 22:22, D: null, E: "", F: 1.10, G: true, H: "$generate:hex:4$"}
        config-scope: all
        env-from-host: [HOME]
        credentials-files: [secret.env]
        network:
          ports: {web: ["8080", "127.0.0.1:80:8080", "53:53/udp", 9], none: []}
          http-proxy:
            - host-name: App.example.com
              routes: [{path: /, proxy-to: "web:8080"}]
          acme-email: a@b.c
        volumes: {data: /srv/data, free: }
        configmaps: {cfg: ./configmaps/cfg}
        secrets: {ext: [a, b], other: }
        resources:
          containers:
            reservations: {cpus: 0.5, memory: 100M}
            limits: {cpus: "2", memory: 5Gi}
            db: {limits: {memory: 1G}}
          volumes:
            reservations: {storage: 5Gi}
            data: {reservations: {storage: 10G}}
        security: {privileged: "true", capabilities: [NET_ADMIN], unlimited-memlock: true, runtime-class: rc,
          service-account-token: true, service-accounts: {web: web-account}, privilege-escalation: true, seccomp: unconfined}
        annotations: {"a/{name}": x}
        labels: {l: "1"}
        replicas: 2
        node-affinities: [{label: l, value: v}]
        node-tolerations: [{key: k, value: v}]
        image-pull-secret: {server: s, username: u, token-env: T}
        image-pull-policy: Always
        image-overrides: {web: "web:2"}
        kind-cluster-name: k
        kind-node-image: kindest/node:v1.36.2
        kind-mount-root: /srv
        caddy-ingress-image: caddy:2
        maintenance-service: m:8000
        external-services:
          a: {host: example.com}
          b: {ip: 10.0.0.1, port: 8899}
          c: {selector: {app: foo}, namespace: other}
        ca-certificates: [ca.pem]
        overrides:
          services: {web: {environment: {X: !reset null}}}
          pods: [{name: p, colocate: true}]
        x-note: anything
        """

    @Test func `every key is read`() throws {
        let (parsed, messages) = spec(Self.whole)
        #expect(messages == [])
        let spec = try #require(parsed)
        #expect(
            spec.config.values.map(\.value) == ["yes", "0755", "22:22", "", "", "1.10", "true", "$generate:hex:4$"])
        #expect(spec.network.ports["web"]?.map(\.published) == [nil, 80...80, 53...53, nil])
        #expect(spec.network.ports["web"]?.map(\.transport) == [.tcp, .tcp, .udp, .tcp])
        #expect(spec.network.ports["none"] == [])
        #expect(spec.network.httpProxies.first?.hostName == "app.example.com")
        #expect(spec.network.httpProxies.first?.routes.first?.proxyTo == RouteTarget(service: "web", port: 8080))
        #expect(spec.volumes["free"]?.value == .some(nil))
        #expect(spec.secrets["other"]?.value == [])
        #expect(spec.resources.containers.limitedMemory?.value.wholes == 5 << 30)
        #expect(spec.resources.containers.reservedCPUs?.value.thousandths == 500)
        #expect(spec.resources.byContainer["db"]?.limitedMemory?.value.wholes == 1_000_000_000)
        #expect(spec.resources.volumes?.value.text == "5Gi")
        #expect(spec.security.serviceAccounts.mapValues(\.value) == ["web": "web-account"])
        #expect(spec.resources.byVolume["data"]?.value.text == "10G")
        #expect(
            spec.security
                == {
                    var security = SpecSecurity()
                    security.privileged = true
                    security.capabilities = ["NET_ADMIN"]
                    security.unlimitedMemlock = true
                    security.runtimeClass = "rc"
                    security.serviceAccountToken = true
                    security.serviceAccounts = spec.security.serviceAccounts
                    security.privilegeEscalation = true
                    security.seccomp = .unconfined
                    return security
                }())
        #expect(spec.externalServices["c"]?.destination == .selector(["app": "foo"], namespace: "other"))
        #expect(spec.externalServices["a"]?.port == 443)
        #expect(spec.colocation["p"]?.value == true)
        #expect(spec.overrides?.mapping?.entries.map(\.key) == ["services"])
        #expect(spec.mark(of: "network.acme-email").line == 15)
        #expect(spec.path("secret.env") == "/d/secret.env")
        #expect(spec.path("~/x", homeDirectory: "/h") == "/h/x")
    }

    @Test func `an emitted spec reads back equal`() throws {
        let first = try #require(spec(Self.whole).spec)
        let text = first.node.yaml()
        let (second, messages) = spec(text)
        #expect(messages == [])
        #expect(second?.node.yaml() == text)
        #expect(second?.config.mapValues(\.value) == first.config.mapValues(\.value))
        #expect(text.hasPrefix("stack: demo\ndeploy-to: k8s\n"))
    }

    @Test(arguments: ["true", "True", "\"true\"", "'TRUE'"])
    func `a bool is read in any case, and quoted`(_ text: String) throws {
        let names = ["privileged", "unlimited-memlock", "service-account-token", "privilege-escalation"]
        let flags = names.map { "\($0): \(text)" }.joined(separator: ", ")
        let parsed = spec("stack: a\ndeploy-to: podman\nsecurity: {\(flags)}\nnetwork: {isolate: \(text)}\n").spec
        #expect(parsed?.network.isolates == true)
        #expect(parsed.map { SpecSecurity.table.pairs($0.security).map(\.1.text) } == ["true", "true", "true", "true"])
    }

    @Test func `what is empty by intent is written again`() throws {
        let text = """
            stack: a
            deploy-to: podman
            network:
              ports:
                web: []
            external-services:
              a:
                selector: {}
                port: 443

            """
        #expect(spec(text).spec?.node.yaml() == text)
    }

    @Test func `null sections are empty`() throws {
        let (parsed, messages) = spec(
            "stack: a\ndeploy-to: compose\nconfig:\nnetwork:\nvolumes:\nresources:\n  containers:\nsecurity: ~\noverrides:\n"
        )
        #expect(messages == [])
        #expect(parsed?.deployTo == .podman)
        #expect(parsed?.resources.containers.isEmpty == true)
    }

    @Test(arguments: [
        ("confg: {}", "unknown key 'confg'\nhint: did you mean 'config'?"),
        ("config: {A: [1]}", "config.A must be a single value, and is a list"),
        ("config: {A: {}}", "config.A must be a single value, and is a map"),
        ("config: {a-b: 1}", "'a-b' is not a variable's name"),
        ("deploy-to: docker", "'docker' is not one of k8s-kind, k8s, podman"),
        ("network: {port: {}}", "network: unknown key 'port'\nhint: did you mean 'ports'?"),
        ("network: {ports: {web: ['70000']}}", "70000"), ("network: {ports: {web: ['a:b']}}", "a:b"),
        ("network: {http-proxy: [{host-name: a.b}]}", "network.http-proxy[0] is missing 'routes'"),
        (
            "network: {http-proxy: [{host-name: a.b, routes: [{path: /, proxy-to: web}]}]}",
            "'web' is not a service and a port"
        ),
        (
            "network: {http-proxy: [{host-name: a.b, routes: [{path: /, proxy-to: 'w:1'}, {path: /, proxy-to: 'w:2'}]}]}",
            "a.b/ is routed twice"
        ),
        ("volumes: {../x: /a}", "'../x' is not a name"),
        ("volumes: {a: ../../b}", "is outside the deployment directory"),
        ("volumes: {a: [b]}", "volumes.a must be a single value"),
        ("resources: {containers: {limits: {memory: lots}}}", "'lots' is not an amount of bytes"),
        ("resources: {containers: {limits: {cpu: 1}}}", "unknown key 'cpu'\nhint: did you mean 'cpus'?"),
        ("security: {privileged: maybe}", "'maybe' is not true or false"),
        ("replicas: two", "'two' is not a whole number"),
        ("replicas: {web: two}", "'two' is not a whole number"),
        ("namespace: Not_Valid", "'Not_Valid' is not at most 63"),
        ("external-services: {a: {host: h, ip: 1.2.3.4}}", "needs one of host, ip and selector, and has host and ip"),
        ("external-services: {a: {port: 1}}", "needs one of host, ip and selector, and has none"),
        ("image-pull-secret: {server: s, username: u}", "neither 'token-env' nor 'token-file'"),
        ("configmaps: {a: ./x}\nvolumes: {a: /y}", "is defined in both 'configmaps' and 'volumes'"),
        ("credentials-files: a.env", "credentials-files must be a list"),
        ("env-from-host: [A-B]", "'A-B' is not a variable's name"),
        ("config: !mine {}", "has the tag !mine"), ("image-pull-policy: always", "is not one of Always"),
        ("overrides: [a]", "overrides must be a map"), ("secrets: {a: b}", "secrets.a must be a list"),
    ])
    func `a fault is reported with its place`(line: String, message: String) {
        let text = "stack: a\n" + (line.hasPrefix("deploy-to") ? "" : "deploy-to: podman\n") + line + "\n"
        let (parsed, messages) = spec(text)
        #expect(parsed == nil)
        #expect(messages.count == 1)
        #expect(messages.first?.hasPrefix("/d/spec.yml:") == true)
        #expect(messages.first?.contains(message) == true, "\(messages)")
    }

    @Test func `a spec without stack and target says so, a fragment needs neither`() {
        let (parsed, messages) = spec("config: {A: 1}\n")
        #expect(parsed == nil)
        #expect(messages.count == 2)
        #expect(spec("config: {A: 1}\n", completeness: .fragment).spec != nil)
        #expect(spec("", completeness: .fragment).spec != nil)
    }

    @Test func `a relative volume path is refused on a cluster, and nowhere else`() {
        let cluster = spec("stack: a\ndeploy-to: k8s\nkube-config: k\nvolumes: {v: ./data/v}\n")
        #expect(cluster.messages.first?.contains("cannot be used on a cluster") == true)
        let local = spec("stack: a\ndeploy-to: podman\nvolumes: {v: ./data/v, w: /w, n: }\n")
        #expect(local.messages == [])
    }

    @Test(arguments: [
        ("5Gi", 5 << 30, "5Gi"), ("5G", 5_000_000_000, "5G"), ("512mb", 512_000_000, "512M"), ("1k", 1000, "1k"),
        ("1Ki", 1024, "1Ki"),
        ("1.5Gi", 3 << 29, "1.5Gi"), ("1048576", 1_048_576, "1048576"), ("2GB", 2_000_000_000, "2G"),
        ("1e6", 1_000_000, "1000000"),
        ("2000M", 2_000_000_000, "2000M"), ("0.1Ki", 103, "103"),
    ])
    func `bytes keep their unit`(text: String, bytes: Int, written: String) throws {
        let quantity = try #require(Quantity(bytes: text))
        #expect(quantity.wholes == Int64(bytes))
        #expect(quantity.text == written)
    }

    @Test(arguments: ["", "Gi", "-1", "1.2.3G", "5 apples", "99999999999999999999", "9E", "0", "0x10", "1e99"])
    func `what is not an amount of bytes is refused`(text: String) {
        #expect(Quantity(bytes: text) == nil)
    }

    @Test func `an endless document of faults does not lose any`() {
        let lines = (0..<50).map { "key\($0): 1" }.joined(separator: "\n")
        #expect(spec("stack: a\ndeploy-to: podman\n" + lines).messages.count == 50)
    }
}
