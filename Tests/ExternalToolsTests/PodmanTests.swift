import ExternalTools
import TestSupport
import Testing

@Suite struct PodmanTests {
    @Test(arguments: [
        (["HOME": "/h"], ["CONTAINERS_CONF": "/h/.config/so/containers.conf"]),
        (["HOME": "/h", "XDG_CONFIG_HOME": "/x"], ["CONTAINERS_CONF": "/x/so/containers.conf"]),
        (["HOME": "/h", "CONTAINERS_CONF": "/mine"], ["CONTAINERS_CONF": "/mine"]),
        (
            ["CONTAINERS_STORAGE_CONF": "/s", "CONTAINER_HOST": "ssh://h", "TOKEN": "t"],
            ["CONTAINERS_STORAGE_CONF": "/s", "CONTAINER_HOST": "ssh://h"]
        ),
        ([:], [:]),
    ])
    func `its own configuration is used unless the user names one`(
        _ inherited: [String: String], _ expected: [String: String]
    ) {
        #expect(ExternalTools.Podman(inherited: inherited) { _ in true }.environment == expected)
        let written = inherited.filter { $0.key.hasPrefix("CONTAINER") }
        #expect(ExternalTools.Podman(inherited: inherited) { _ in false }.environment == written)
    }

    @Test func `podman's environment is a fixed list of the caller's, whatever else is in there`() async throws {
        let tainted = ["XTABLES_LIBDIR": "/evil", "PATH": hostEnvironment["PATH"] ?? ""]
        let podman = ExternalTools.Podman(inherited: tainted) { _ in false }
        for name in ["PATH", "HOME", "XDG_RUNTIME_DIR", "CONTAINERS_CONF", "CONTAINER_HOST", "https_proxy", "LC_ALL"] {
            #expect(ExternalTools.Podman.inherited.contains(name), "\(name)")
        }
        for name in [
            "XTABLES_LIBDIR", "LD_PRELOAD", "GODEBUG", "IFS", "NOTIFY_SOCKET", "RUST_LOG", "AWS_SECRET_ACCESS_KEY",
        ] {
            #expect(!ExternalTools.Podman.inherited.contains(name), "\(name)")
        }
        var command = podman.command([])
        command.program = "env"
        let variables = try await command.run().text.split(separator: "\n")
        #expect(variables.allSatisfy { $0.hasPrefix("PATH=") } && !variables.isEmpty)
    }

    @Test func `arguments are what podman expects`() {
        typealias Arguments = PodmanArguments
        #expect(
            Arguments.run(name: "c", pod: "p", labels: ["b": "2", "a": "1"], options: ["--restart", "no", "image"])
                == [
                    "run", "--detach", "--pull", "never", "--name", "c", "--pod", "p", "--label", "a=1",
                    "--label", "b=2", "--restart", "no", "image",
                ])
        #expect(
            Arguments.createNetwork(
                "n", labels: ["a": "1"], options: [.flag("--internal"), .whole("--subnet", "10.1.2.0/24")])
                == ["network", "create", "--label", "a=1", "--internal", "--subnet", "10.1.2.0/24", "n"])
        #expect(Arguments.createSecret("s", labels: [:]) == ["secret", "create", "s", "/proc/self/fd/0"])
        #expect(
            Arguments.logs("c", LogSelection(follow: true, tail: 5, since: "10m"))
                == ["logs", "--timestamps", "--follow", "--tail", "5", "--since", "10m", "c"])
        #expect(
            Arguments.exec("c", ["ls", "-l"], interactive: true, tty: true, user: "1", workingDirectory: "/")
                == ["exec", "--interactive", "--tty", "--user", "1", "--workdir", "/", "c", "ls", "-l"])
        #expect(Arguments.connect("c", to: "n") == ["network", "connect", "n", "c"])
        #expect(Arguments.disconnect("c", from: "n") == ["network", "disconnect", "n", "c"])
        #expect(
            Arguments.reloadRoutes("c", configuration: "/so/next.json")
                == ["exec", "c", "caddy", "reload", "--config", "/so/next.json"])
        #expect(
            Arguments.removePods(["p"], graceSeconds: 3) == ["pod", "rm", "--force", "--ignore", "--time", "3", "p"])
    }

    @Test func `an event line is read and a warning is none`() {
        let line =
            #"{"ContainerExitCode":3,"ID":"ab","Image":"i","Name":"n","Status":"died","Type":"container","Attributes":{"l":"1"}}"#
        #expect(PodmanEvent(line: line)?.ContainerExitCode == 3)
        #expect(PodmanEvent(line: "level=warning") == nil)
    }
}
