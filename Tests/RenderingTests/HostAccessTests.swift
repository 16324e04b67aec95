import Rendering
import Testing

@Suite struct HostAccessTests {
    @Test func `what a service is given of its host is listed, and what is the deployment's own is not`() throws {
        let rendered = try render(
            """
            services:
              free:
                image: a
                privileged: true
                network_mode: host
                cap_add: [NET_ADMIN]
                volumes: ["/var/run/docker.sock:/s", "/d/config/x:/x", "/:/host:ro"]
              plain:
                image: a
            """, target: .podman)
        let access = rendered.deployment.hostAccess(besides: ["/d"])
        #expect(access.map(\.name) == ["free"])
        let grants = access.first?.grants ?? []
        #expect(grants.contains("every privilege (privileged)") && grants.contains("the host's network"))
        #expect(grants.contains("the capability NET_ADMIN") && grants.contains("/var/run/docker.sock"))
        #expect(grants.contains("/, which holds the deployment itself") && !grants.contains("/d/config/x"))
    }

    @Test(arguments: [
        "{driver_opts: {type: none, o: bind, device: /etc}}",
        "{driver: local, driver_opts: {o: 'ro,bind', device: /etc}}",
        "{driver: default, driver_opts: {type: '', o: rbind, device: /etc}}",
    ])
    func `a volume that stands for a directory of the host is listed as that`(_ volume: String) throws {
        let rendered = try render(
            "{services: {a: {image: i, volumes: ['v:/v']}}, volumes: {v: \(volume)}}", target: .podman)
        #expect(rendered.errors == [])
        #expect(rendered.deployment.hostAccess(besides: ["/p"]).first?.grants == ["/etc"])
    }

    @Test func `a device of a bind in two files is nobody's directory`() throws {
        let rendered = try render(
            """
            services: {a: {image: i, volumes: ["v:/v"]}}
            volumes: {v: {driver_opts: {device: "C:\\\\x", o: bind}}}
            """, target: .podman)
        #expect(rendered.errors.contains { $0.contains("is not an absolute path") }, "\(rendered.errors)")
    }

    @Test(arguments: [
        ("./config/d:/d", "./config/d/f:/f", true), ("./config/d:/d", "./config/d/f:/f:ro", false),
        ("./config/d:/d:ro", "./config/d/f:/f", false), ("./config/d:/d", "./config/e:/e", false),
        ("./config/d:/d", "./config/d:/e", false),
    ])
    func `what lies in a directory that a container may write is not mounted by another`(
        _ above: String, _ below: String, _ isRefused: Bool
    ) throws {
        let compose = "services: {a: {image: i, volumes: ['\(above)']}, b: {image: i, volumes: ['\(below)']}}"
        let files = ["/p/config/d/f": "x", "/p/config/e/f": "x"]
        let rendered = try render(compose, target: .podman, files: files)
        #expect(rendered.errors.contains { $0.contains("/p/config/d/f") } == isRefused, "\(rendered.errors)")
        let allowed = try render(compose, target: .podman, files: files, spec: "{allowed-paths: [/p/config/d/f]}")
        #expect(allowed.errors == [])
        #expect(try render(compose, target: .podman, files: files) { $0.mountsInPlace = true }.errors == [])
    }

    @Test func `directories of the host in each other are a warning`() throws {
        let rendered = try render(
            "services: {a: {image: i, volumes: ['/media:/m']}, b: {image: i, volumes: ['/media/tv:/tv']}}",
            target: .podman)
        #expect(rendered.errors == [])
        #expect(rendered.warnings.contains { $0.contains("/media/tv") && $0.contains("a link") })
    }
}
