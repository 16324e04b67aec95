import Testing

@testable import Specs

@Suite struct ImageNameTests {
    @Test(arguments: [
        ("cerc/foundry:local", "registry.example.com/team/cerc/foundry:latest"),
        ("cerc/foundry", "registry.example.com/team/cerc/foundry:latest"),
        ("app:1.2", "registry.example.com/team/app:1.2"),
        ("localhost/app:local", "registry.example.com/team/app:latest"),
        ("ghcr.io/org/app:v1", "registry.example.com/team/org/app:v1"),
        ("localhost:5000/app", "registry.example.com/team/app:latest"),
        ("app@sha256:abc", "registry.example.com/team/app:latest"),
    ])
    func `tagged and untagged references have one name in a registry`(text: String, published: String) {
        for registry in ["registry.example.com/team", "https://registry.example.com/team/"] {
            #expect(ImageName(text)?.published(in: registry) == published)
        }
    }

    @Test func `a port is not a tag and a host is not a path`() throws {
        let image = try #require(ImageName("registry.example.com:5000/a/b:1@sha256:00"))
        #expect(
            image.registry == "registry.example.com:5000" && image.path == "a/b" && image.tag == "1"
                && image.digest == "sha256:00")
        #expect(ImageName("a/b")?.registry == nil)
    }

    @Test(arguments: ["", "-x", "--help", "a b", "a/", "/a", "a:", "a@", "a//b"])
    func `what is not an image's name is refused`(text: String) {
        #expect(ImageName(text) == nil)
    }

    @Test(arguments: [
        ("a:local", true), ("localhost/a:1", true), ("a:1", false), ("a", false), ("a:local@sha256:00", false),
    ])
    func `an image that only this host can have is known`(text: String, isLocal: Bool) {
        #expect(ImageName(text)?.isLocal == isLocal)
    }

    @Test(arguments: [
        ("127.0.0.1:5000/a", true), ("localhost:5000/a", true), ("[::1]:5000/a", true), ("localhost/a", false),
        ("docker.io/a", false),
        ("registry:5000/a", false),
    ])
    func `registries of this host need no certificate`(text: String, isLoopback: Bool) {
        #expect(ImageName.isLoopback(text) == isLoopback)
    }

    @Test(arguments: [
        ("redis:7", "docker.io/library/redis:7"), ("grafana/grafana", "docker.io/grafana/grafana"),
        ("quay.io/org/app:1", "quay.io/org/app:1"), ("localhost/app", "localhost/app"),
        ("so/demo:local", "so/demo:local"),
        ("redis@sha256:00", "docker.io/library/redis@sha256:00"), ("localhost:5000/app", "localhost:5000/app"),
    ])
    func `a name without a registry is Docker's`(reference: String, qualified: String) {
        #expect(ImageName.qualified(reference) == qualified)
    }

    @Test func `a login is kept under the registry's own name`() {
        for server in ["https://index.docker.io/v1/", "docker.io", "registry-1.docker.io"] {
            #expect(ImageName.registryHost(server) == "docker.io")
        }
        #expect(ImageName.registryHost("https://Registry.example.com:5000/team") == "registry.example.com:5000")
        #expect(ImageName.registryHost(ofImage: "team/app:1") == "docker.io")
        #expect(ImageName.registryHost(ofImage: "example.com:5000/team/app@sha256:00") == "example.com:5000")
        #expect(ImageName.registryHost(ofImage: "localhost/app") == "localhost")
    }
}
