import ExternalTools
import Testing

/// What kind, the engines and kubectl are asked, and what they answer.
@Suite struct KindTests {
    @Test func `kind is told its provider by the environment, and its config on standard input`() {
        let command = Kind(provider: .podman, host: [:]).create(
            "so", config: "kind: Cluster", kubeconfig: "/s/kubeconfig")
        #expect(
            command.arguments == [
                "create", "cluster", "--name", "so", "--config", "-", "--kubeconfig", "/s/kubeconfig", "--wait", "3m",
            ])
        #expect(command.environment == ["KIND_EXPERIMENTAL_PROVIDER": "podman"])
        #expect(command.input == Array("kind: Cluster".utf8))
        #expect(Kind(provider: .docker, host: [:]).clusters.environment == [:])
    }

    @Test func `destroying and loading name the cluster`() {
        let kind = Kind(provider: .docker, host: [:])
        #expect(
            kind.delete("so", kubeconfig: "/k").arguments == [
                "delete", "cluster", "--name", "so", "--kubeconfig", "/k",
            ])
        #expect(
            kind.load(images: ["a:1", "b:2"], into: "so").arguments == [
                "load", "docker-image", "--name", "so", "a:1", "b:2",
            ])
        #expect(
            kind.load(archive: "/x.tar", into: "so").arguments == ["load", "image-archive", "--name", "so", "/x.tar"])
        #expect(kind.with(.podman).save("a:1", to: "/x.tar").arguments.contains("docker-archive"))
    }

    @Test func `a node's mounts and ports are read from the engine's inspect`() throws {
        let text = """
            [{"State":{"Status":"running","Running":true},
              "Mounts":[{"Type":"bind","Source":"/srv/data","Destination":"/mnt","Mode":"","RW":true},{"Type":"volume","Name":"x"}],
              "HostConfig":{"PortBindings":{"80/tcp":[{"HostIp":"0.0.0.0","HostPort":"80"}],"30000/tcp":[{"HostIp":"127.0.0.1","HostPort":"30000"}],"6443/tcp":null}}}]
            """
        let node = try KindNode(name: "so-control-plane", inspection: Array(text.utf8))
        #expect(node.isRunning)
        #expect(node.mounts.first == KindNode.Mount(source: "/srv/data", destination: "/mnt"))
        #expect(node.ports == ["80/tcp": 80, "30000/tcp": 30000])
        #expect(throws: CommandFailure.self) { try KindNode(name: "n", inspection: Array("no such object".utf8)) }
    }

    @Test func `a node's images are read from crictl`() throws {
        let text =
            #"{"images":[{"id":"sha256:aa","repoTags":["docker.io/library/nginx:1"],"repoDigests":[]},{"id":"sha256:bb","repoTags":null}]}"#
        let images = try NodeImages(crictl: Array(text.utf8))
        #expect(images.names == ["docker.io/library/nginx:1": "sha256:aa"])
    }

    @Test func `kubectl gets terminal and input only when asked`() {
        let access = ["--kubeconfig", "/k", "--context", "c"]
        let kubectl = Kubectl(access: access, namespace: "n", host: [:])
        let plain = kubectl.exec(pod: "p", container: "web", command: ["ls", "-l"])
        #expect(plain.arguments == access + ["--namespace", "n", "exec", "p", "--container", "web", "--", "ls", "-l"])
        let tty = kubectl.exec(pod: "p", container: "web", command: ["sh"], interactive: true, tty: true)
        #expect(tty.arguments.contains("--stdin") && tty.arguments.contains("--tty"))
    }

    @Test func `kubectl says where it listens, and nothing else is taken for that`() throws {
        let plain = try #require(Kubectl.listening("Forwarding from 127.0.0.1:8080 -> 80"))
        #expect(plain.address == "127.0.0.1" && plain.port == 8080)
        let other = try #require(Kubectl.listening("Forwarding from [::1]:8081 -> 80"))
        #expect(other.address == "::1" && other.port == 8081)
        for line in ["Handling connection for 8080", "", "Forwarding from nowhere -> 80"] {
            #expect(Kubectl.listening(line) == nil)
        }
    }
}
