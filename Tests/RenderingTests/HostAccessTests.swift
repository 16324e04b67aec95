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
}
