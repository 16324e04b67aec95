import ExternalTools
import FoundationEssentials
import KubernetesClient
import TestSupport
import Testing
import YAML

@testable import Runtimes

/// The shared cluster is made so that every deployment finds what it needs, and says what it was made without.
@Suite struct KindConfigTests {
    @Test func `the configuration maps routes, the pool of node ports, and the mounts`() throws {
        let config = KindConfig(mounts: [KindMount(hostPath: "/srv", nodePath: "/mnt")])
        let node = try loadYAMLDocument(Array(config.yaml.utf8), file: "kind.yml")
        #expect(node.at("apiVersion")?.text == "kind.x-k8s.io/v1alpha4")
        let first = try #require(node["nodes"]?.sequence?.first)
        let ports = (first["extraPortMappings"]?.sequence ?? []).compactMap { $0["hostPort"]?.intValue }
        #expect(ports == [80, 443] + Array(30_000...30_063) + Array(30_048...30_063))
        #expect(first["extraMounts"]?.sequence?.first?["containerPath"]?.text == "/mnt")
        #expect(first["kubeadmConfigPatches"]?.sequence?.first?.text?.contains("ingress-ready=true") ?? false)
    }

    @Test func `the cluster has a runtime handler whose containers may lock any amount of memory`() throws {
        let host = KindHost(kind: Kind(provider: .docker, host: hostEnvironment), stateDirectory: "/state")
        let node = try loadYAMLDocument(Array(host.config([]).yaml.utf8), file: "kind.yml")
        let mounts = node["nodes"]?.sequence?.first?["extraMounts"]?.sequence ?? []
        let mount = try #require(mounts.first { $0["containerPath"]?.text == MemlockHandler.nodePath })
        #expect(mount["hostPath"]?.text == "/state/high-memlock.json")
        let patches = (node["containerdConfigPatches"]?.sequence ?? []).compactMap(\.text).joined()
        #expect(patches.contains("runtimes.high-memlock]") && patches.contains("\"\(MemlockHandler.nodePath)\""))
        let specification = try readJSON(MemlockHandler.specification.utf8)
        let limits = specification.at("process", "rlimits")?.sequence ?? []
        let memory = try #require(limits.first { $0["type"]?.text == "RLIMIT_MEMLOCK" })
        #expect(memory["soft"]?.text == "18446744073709551615" && memory["hard"]?.text == memory["soft"]?.text)
    }

    @Test func `mounts follow the host's later ones where the host lets them, and a node may have another image`()
        throws
    {
        var mount = KindMount(hostPath: "/srv", nodePath: "/mnt")
        #expect(!KindConfig(mounts: [mount]).yaml.contains("propagation"))
        mount.followsMounts = true
        let yaml = KindConfig(mounts: [mount], image: "kindest/node:v1.34.0").yaml
        #expect(yaml.contains("propagation: HostToContainer") && yaml.contains("image: kindest/node:v1.34.0"))
    }

    @Test(arguments: [
        ("/srv/x", true), ("/srv", true), ("/srvx", false), ("/", false), ("/a disk/x", true), ("/over/x", false),
    ])
    func `a private mount is told from one that passes on`(path: String, isShared: Bool) {
        let table = MountTable(
            mountinfo: """
                26 1 254:0 / / rw,relatime - ext4 /dev/vda rw
                30 26 254:1 / /srv rw shared:7 master:2 - ext4 /dev/vdb rw
                31 26 254:2 / /a\\040disk rw master:2 - ext4 /dev/vdc rw
                32 26 254:3 / /over rw shared:9 - ext4 /dev/vdd rw
                33 32 254:4 / /over rw - ext4 /dev/vde rw
                """)
        #expect(table.isShared(path) == isShared)
    }

    @Test func `of what kind says its last words are told, without every port`() {
        let said =
            "Creating cluster ...\nERROR: failed to create cluster: \(String(repeating: "--publish ", count: 99))\nport is taken"
        let lines = KindHost.reason(CommandFailure(.exited(1), command: "kind", standardError: said)).split(
            separator: "\n")
        #expect(lines.count == 2 && lines[0].hasSuffix("…") && lines[1] == "port is taken", "\(lines)")
    }

    @Test(arguments: [
        ("/srv/a", "/mnt/a", true), ("/srv", "/mnt", true), ("/srv/a", "/mnt/b", false), ("/srvx", "/mntx", false),
        ("/other", "/mnt/other", false),
    ])
    func `a mount of a directory above serves where it leads to the same place`(
        host: String, path: String, isThere: Bool
    ) throws {
        let text = #"[{"State":{"Running":true},"Mounts":[{"Source":"/srv","Destination":"/mnt"}]}]"#
        let node = try KindNode(name: "n", inspection: Array(text.utf8))
        let missing = KindConfig.missing([KindMount(hostPath: host, nodePath: path)], in: node)
        #expect(missing.isEmpty == isThere, "\(missing)")
    }

    @Test(arguments: [
        ("2026-11-22T08:00:00.123456789Z", 1_795_334_400.0), ("2026-11-22T09:00:00.5+01:00", 1_795_334_400),
        ("0001-01-01T00:00:00Z", nil), ("", nil),
    ])
    func `an engine says when a node was started`(text: String, expected: Double?) throws {
        let record = #"[{"State":{"Running":true,"StartedAt":"\#(text)"}}]"#
        let node = try KindNode(name: "n", inspection: Array(record.utf8))
        #expect(node.startedAt?.timeIntervalSince1970 == expected)
    }

    @Test(arguments: [
        ("nginx", "docker.io/library/nginx:latest"), ("a/b:1", "docker.io/a/b:1"),
        ("localhost/x", "localhost/x:latest"),
        ("r.io:5000/x:2", "r.io:5000/x:2"),
    ])
    func `an image's name is what containerd calls it`(image: String, expected: String) {
        #expect(KindImages.fullName(image) == expected)
    }

    @Test func `certificates are asked for where an address is given`() throws {
        let file = "\(Shared.packageRoot)/config/ingress/traefik.yml"
        let bytes = try Files.read(file)
        func arguments(_ email: String?) throws -> [String] {
            let node = try IngressController(manifest: bytes, file: file, image: nil, acmeEmail: email).objects.last
            let container = node?.at("spec", "template", "spec", "containers")?.sequence?.first
            return (container?["args"]?.sequence ?? []).compactMap(\.text)
        }
        #expect(try arguments("me@example.com").contains("--certificatesresolvers.acme.acme.email=me@example.com"))
        #expect(try !arguments(nil).contains { $0.contains("acme") })
    }

    @Test func `the shipped ingress controller can be given another image`() throws {
        let file = "\(Shared.packageRoot)/config/ingress/traefik.yml"
        let controller = try IngressController(manifest: Files.read(file), file: file, image: "mirror/traefik:x")
        #expect(controller.objects.last?["kind"]?.text == "Deployment")
        let image = controller.objects.last?.at("spec", "template", "spec", "containers")?.sequence?.first?["image"]?
            .text
        #expect(image == "mirror/traefik:x")
    }
}
