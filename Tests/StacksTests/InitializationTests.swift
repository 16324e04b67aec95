import Compose
import OrderedCollections
import Stacks
import TestSupport
import Testing
import YAML

@testable import Specs

@Suite struct InitializationTests {
    func mapped(
        _ recipe: PortRecipe, _ services: [(String, [PortMapping])], taken: Set<Int> = []
    ) -> (ports: [[String]], messages: [String]) {
        var next = 20_000
        var mapper = PortMapper(
            recipe: recipe, isFree: { !taken.contains($0) },
            random: { _ in
                defer { next += 1 }
                return next
            })
        var diagnostics = Diagnostics()
        let ports = services.map { name, ports in
            mapper.map(ports, service: name, diagnostics: &diagnostics).compactMap(\.node.text)
        }
        return (ports, diagnostics.list.map(\.description))
    }

    let ports = [
        PortMapping(target: 80), PortMapping(target: 53, transport: .udp),
        PortMapping(target: 80, published: 8080...8080),
        PortMapping(target: 90, published: 9090...9090, hostIP: "127.0.0.1"),
    ]

    @Test(arguments: [
        (PortRecipe.anyVariableRandom, ["80", "53/udp", "8080:80", "127.0.0.1:9090:90"]),
        (.localhostSame, ["127.0.0.1:80:80", "127.0.0.1:53:53/udp", "127.0.0.1:8080:80", "127.0.0.1:9090:90"]),
        (.anySame, ["0.0.0.0:80:80", "0.0.0.0:53:53/udp", "0.0.0.0:8080:80", "127.0.0.1:9090:90"]),
        (
            .localhostFixedRandom,
            ["127.0.0.1:20000:80", "127.0.0.1:20001:53/udp", "127.0.0.1:20002:80", "127.0.0.1:20003:90"]
        ),
        (.anyFixedRandom, ["0.0.0.0:20000:80", "0.0.0.0:20001:53/udp", "0.0.0.0:20002:80", "127.0.0.1:20003:90"]),
    ])
    func `a recipe maps every port once`(recipe: PortRecipe, expected: [String]) {
        let (mapped, messages) = mapped(recipe, [("a", ports)])
        #expect(mapped == [expected])
        #expect(messages == [])
    }

    @Test func `random ports are free and unique`() {
        var mapper = PortMapper(recipe: .anyFixedRandom, isFree: { $0 % 2 == 0 }, random: { _ in 20_001 })
        var diagnostics = Diagnostics()
        let ports = mapper.map(
            [PortMapping(target: 1), PortMapping(target: 2)], service: "a", diagnostics: &diagnostics)
        #expect(ports.map(\.published) == [20_000...20_000, 20_002...20_002])
    }

    @Test func `a same port that is taken moves to a free one and says so`() {
        let (mapped, messages) = mapped(
            .localhostSame,
            [("a", [PortMapping(target: 80)]), ("b", [PortMapping(target: 80), PortMapping(target: 22)])],
            taken: [22])
        #expect(mapped == [["127.0.0.1:80:80"], ["127.0.0.1:20000:80", "127.0.0.1:20001:22"]])
        #expect(messages.count == 2)
        #expect(messages.first?.contains("b: the host's port 80 is taken, so 20000 is used") == true)
    }

    @Test func `an address of IPv6 is written in brackets`() {
        #expect(PortMapping(target: 80, published: 1...1, hostIP: "::1").node.text == "[::1]:1:80")
    }

    @Test(arguments: [
        (["A=1,B=2"], ["A": "1", "B": "2"]), (["A=1,2"], ["A": "1,2"]), (["A=1,B=2,3"], ["A": "1,B=2,3"]),
        (["A=1", "B=x=y"], ["A": "1", "B": "x=y"]), (["A="], ["A": ""]), (["A=1", "A=2"], ["A": "2"]),
        (["URL=http://h/?a b,c"], ["URL": "http://h/?a b,c"]), (["L=a=1,b-c=2"], ["L": "a=1,b-c=2"]),
    ])
    func `a config flag splits only where every piece has its own key`(flags: [String], expected: [String: String]) {
        var diagnostics = Diagnostics()
        let parsed = parseConfigFlags(flags, diagnostics: &diagnostics)
        #expect(Dictionary(uniqueKeysWithValues: parsed.map { ($0.key, $0.value.value) }) == expected)
        #expect(diagnostics.list == [])
    }

    @Test(arguments: ["secret", "=x", "a-b=1", ""])
    func `a flag without a key is an error that does not repeat it`(flag: String) {
        var diagnostics = Diagnostics()
        _ = parseConfigFlags([flag], diagnostics: &diagnostics)
        #expect(diagnostics.hasErrors)
        #expect(!diagnostics.list.contains { $0.description.contains("secret") })
    }

    @Test func `a config file keeps its values as they stand`() throws {
        var diagnostics = Diagnostics()
        let text = "# c\nA=$generate:hex:16$\nB='x y'\nexport C=\"q\\\"z\"\nD=\n"
        let parsed = try readConfigFile("/c.env", tree: tree(["/c.env": text]), diagnostics: &diagnostics)
        #expect(parsed.mapValues(\.value) == ["A": "$generate:hex:16$", "B": "x y", "C": "q\"z", "D": ""])
        #expect(throws: StackError.self) {
            try readConfigFile("/none", tree: tree([:]), diagnostics: &diagnostics)
        }
    }

    let files = [
        "/so/stacks/s/stack.yml": "pods: [p]\njobs: [j]\n",
        "/so/compose/docker-compose-p.yml": """
        services:
          web:
            image: web:${TAG:?set a tag}
            environment: {A: "${A:-1}", B: x}
            ports: ["80"]
            volumes: ["data:/d", "config:/c:ro", "outside:/o", "placed:/p"]
        volumes:
          data:
          config:
          outside: {external: true}
          placed: {driver_opts: {type: none, o: bind, device: /srv}}
        """,
        "/so/compose-jobs/docker-compose-j.yml":
            "services: {j: {image: j, volumes: ['data:/d', 'own:/o']}}\nvolumes: {data: , own: }\n",
    ]

    func initial(
        _ target: DeploymentTarget, fragment: String = "", config: [String: String] = [:],
        change: (inout SpecRequest) -> Void = { _ in }
    ) throws -> (spec: Spec?, messages: [String]) {
        let tree = tree(files)
        var request = SpecRequest(stack: "s", target: target)
        request.config = OrderedDictionary(uniqueKeysWithValues: config.map { ($0.key, Located($0.value)) })
        request.fragment = Tests.fragment(fragment)
        change(&request)
        var diagnostics = Diagnostics()
        let mapper = PortMapper(recipe: .anySame, isFree: { _ in true })
        let spec = initialSpec(
            try resolver(tree).resolve("s"), request, ports: mapper, tree: tree, diagnostics: &diagnostics)
        return (spec, diagnostics.list.map(\.description))
    }

    private enum Tests {
        static func fragment(_ text: String) -> Spec? { text.isEmpty ? nil : spec(text, completeness: .fragment).spec }
    }

    @Test func `a spec has ports and volumes and no default of the compose files`() throws {
        let (spec, messages) = try initial(.podman)
        #expect(
            spec?.node.yaml() == """
                stack: s
                deploy-to: podman
                network:
                  ports:
                    web:
                      - "0.0.0.0:80:80"
                volumes:
                  data: ./data/data
                  config: ./data/config
                  own: ./data/own

                """)
        #expect(messages.filter { $0.contains("error:") } == [])
        #expect(messages.contains { $0.contains("TAG") })
    }

    @Test func `volumes are null on a cluster, and read-only config is a ConfigMap`() throws {
        let cluster = try initial(.kubernetes) { $0.kubeConfig = "/k" }
        #expect(cluster.spec?.volumes.mapValues(\.value) == ["data": nil, "own": nil])
        #expect(cluster.spec?.configmaps["config"]?.value == "./configmaps/config")
        #expect(cluster.spec?.kubeConfig?.value == "/k")
        let kind = try initial(.kind)
        #expect(kind.spec?.volumes.mapValues(\.value) == ["data": "./data/data", "own": "./data/own"])
    }

    @Test func `the operator's config wins over the hook's, and the hook's ports and volumes stay`() throws {
        let fragment =
            "config: {A: hook, B: hook}\nnetwork: {ports: {web: ['5:80']}}\nvolumes: {data: /srv}\nreplicas: 2\n"
        let (spec, _) = try initial(.podman, fragment: fragment, config: ["A": "operator"])
        #expect(spec?.config.mapValues(\.value) == ["A": "operator", "B": "hook"])
        #expect(spec?.network.ports["web"]?.map(\.published) == [5...5])
        #expect(spec?.volumes["data"]?.value == "/srv")
        #expect(spec?.replicas.every == 2)
    }

    @Test func `flags of another target are errors`() throws {
        #expect(try initial(.kubernetes).messages.contains { $0.contains("add --kube-config <path>") })
        #expect(
            try initial(.podman) { $0.imageRegistry = "r" }.messages.contains { $0.contains("remove --image-registry") }
        )
    }
}
