import Compose
import OrderedCollections
import Specs
import Testing
import YAML

@testable import Rendering

/// Compose's networks on podman, decided without running anything.
@Suite struct PodmanNetworkTests {
    private func render(
        _ compose: String, _ target: RenderOptions.Target = .podman, change: (inout Spec) -> Void = { _ in }
    ) throws -> (rendered: RenderedDeployment, diagnostics: [Diagnostic]) {
        var diagnostics = Diagnostics()
        var options = LoadOptions()
        options.projectName = "p"
        let tree = FileTree.memory(texts: ["/p/compose.yml": compose])
        let loaded = loadProject(files: ["/p/compose.yml"], options: options, tree: tree, diagnostics: &diagnostics)
        let project = try #require(loaded)
        var spec = Spec(directory: "/p")
        change(&spec)
        var layered = LayeredProject(stackName: "p", spec: spec, project: project)
        layered.components = [Component(name: "p", colocate: false, serviceNames: Array(project.services.keys))]
        let rendered = Rendering.render(
            layered, options: RenderOptions(target: target, namespace: "so-p", deploymentID: "id", stackName: "p"),
            tree: tree, diagnostics: &diagnostics)
        return (rendered, diagnostics.list)
    }

    @Test func `networks are separate where somebody asks for it, and one otherwise`() throws {
        let plain = "services: {a: {image: a, networks: [x]}, b: {image: b, networks: [y]}}\nnetworks: {x: {}, y: {}}"
        #expect(try render(plain).rendered.networks == [])
        #expect(try render(plain) { $0.network.isolates = true }.rendered.networks.map(\.name) == ["x", "y"])
        let sealed = try render(plain.replacing("y: {}", with: "y: {internal: true}")) {
            $0.network.disabledDNS = [Located("y")]
        }
        #expect(sealed.rendered.networks.map(\.isInternal) == [false, true])
        #expect(sealed.rendered.networks.map(\.hasDNS) == [true, false])
        #expect(sealed.rendered.workloads.map { $0.podman.networks.map(\.network) } == [["x"], ["y"]])
        #expect(sealed.diagnostics.isEmpty, "\(sealed.diagnostics)")
        #expect(try render(plain, .kubernetes) { $0.network.isolates = true }.rendered.networks == [])
    }

    @Test(arguments: [
        ("10.9.9.2", "not available in"), ("10.9.8.0", "not available in"),
        ("10.9.8.255", "not available in"),
        ("10.9.8.1", "not available in"), ("10.9.8.5", "is that of other already"),
    ])
    func `an address that cannot be had is an error at its place`(_ address: String, _ reason: String) throws {
        let compose = """
            services:
              other: {image: a, networks: {n: {ipv4_address: 10.9.8.5}}}
              web:
                image: b
                networks: {n: {ipv4_address: \(address)}}
            networks: {n: {ipam: {config: [{subnet: 10.9.8.0/24, gateway: 10.9.8.1}]}}}
            """
        let errors = try render(compose).diagnostics.filter { $0.severity == .error }
        #expect(
            errors.contains { $0.description.contains(reason) && $0.description.hasPrefix("/p/compose.yml:5:") },
            "\(errors)")
    }

    @Test func `several replicas, a subnet that is none and a network that is not there are told`() throws {
        let compose = """
            services: {web: {image: b, scale: 2, networks: {n: {ipv4_address: 10.9.8.5}}}}
            networks: {n: {ipam: {config: [{subnet: 10.9.8.0/24}]}}}
            """
        let result = try render(compose) { $0.network.disabledDNS = [Located("m")] }
        let texts = result.diagnostics.map(\.description).joined(separator: "\n")
        #expect(texts.contains("several replicas cannot have one address"), "\(texts)")
        #expect(texts.contains("network.disable-dns: no network `m`"), "\(texts)")
        let other = try render(compose.replacing("10.9.8.0/24", with: "fd00::/64"))
        #expect(other.rendered.networks == [] && other.diagnostics.contains { $0.description.contains("ipv4_address") })
    }

    @Test func `two keys that look alike after all are two networks`() throws {
        let result = try render(
            "services: {a: {image: a, networks: [my_net]}, b: {image: b, networks: [my-net]}}\nnetworks: {my_net: {internal: true}, my-net: {}}"
        )
        #expect(Set(result.rendered.networks.map(\.name)).count == 2)
    }

    @Test(arguments: [("10.1.2.3/24", "10.1.2.0/24"), ("0.0.0.0/1", "0.0.0.0/1")])
    func `a subnet is read as its network`(_ text: String, _ network: String) {
        #expect(IPv4Subnet(text).map { "\($0)" } == network)
    }

    @Test(arguments: [
        "10.1.2.0", "10.1.2.0/30", "10.1.2.0/33", "10.1.2/24", "a/24", "10.1.2.0/+24", "10.1.2.0/24/1", "::/64",
    ])
    func `what is no subnet is none`(_ text: String) { #expect(IPv4Subnet(text) == nil) }
}
