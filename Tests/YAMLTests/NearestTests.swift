import Testing
import YAML

@Suite struct NearestTests {
    static let keys = [
        "image", "environment", "env_file", "ports", "expose", "volumes", "depends_on", "healthcheck", "restart",
        "network_mode",
        "networks", "command", "configs", "secrets", "build", "init",
    ]

    @Test(arguments: [
        ("enviroment", "environment"), ("envrionment", "environment"), ("port", "ports"), ("imgae", "image"),
        ("depend_on", "depends_on"),
        ("dependsOn", "depends_on"), ("health_check", "healthcheck"), ("Image", "image"),
        ("networkmode", "network_mode"),
        ("volume", "volumes"), ("env-file", "env_file"), ("comand", "command"), ("inti", "init"), ("secret", "secrets"),
    ])
    func `a mistyped key is recognised`(name: String, meant: String) {
        #expect(nearest(name, in: Self.keys) == meant)
    }

    @Test(arguments: ["", "x", "colour", "labels", "privileged", "abc", String(repeating: "image", count: 1000)])
    func `what is near nothing has no suggestion`(name: String) {
        #expect(nearest(name, in: Self.keys) == nil)
    }

    @Test func `the nearest wins and then the first`() {
        #expect(nearest("web1", in: ["web22", "web2", "web3"]) == "web2")
        #expect(nearest("web3", in: ["web2", "web3"]) == "web3")
    }
}
