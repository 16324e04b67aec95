import KubernetesObjects
import Rendering
import Testing

/// What a pod is without unless somebody asks for it.
@Suite struct PodDefaultsTests {
    private func context(_ keys: String, spec: String = "") throws -> SecurityContext? {
        let rendered = try render("services: {a: {image: i, \(keys)}}", target: .kubernetes, spec: spec)
        #expect(rendered.errors == [])
        return try rendered.pod("a").spec.containers[0].securityContext
    }

    @Test func `an account of a service's own is that of its pods alone`() throws {
        let rendered = try render(
            "services: {a: {image: i}, b: {image: i}}", target: .kubernetes,
            spec: "security: {service-accounts: {a: api}}")
        let (first, second) = (try rendered.pod("a").spec, try rendered.pod("b").spec)
        #expect(first.serviceAccountName == "api" && first.automountServiceAccountToken == nil)
        #expect(second.serviceAccountName == nil && second.automountServiceAccountToken == false)
    }

    @Test func `a pod has no token, the runtime's system calls, and no program that gains privileges`() throws {
        let rendered = try render(
            "services: {a: {image: i, volumes: [\"v:/v\"], pre_start: [{command: [x]}]}}\nvolumes: {v: }",
            target: .kubernetes)
        let pod = try rendered.pod("a").spec
        #expect(pod.automountServiceAccountToken == false)
        #expect(pod.securityContext?.seccompProfile == SecurityProfile(type: "RuntimeDefault"))
        let all = (pod.initContainers ?? []) + pod.containers
        #expect(all.count == 3)
        #expect(all.allSatisfy { $0.securityContext?.allowPrivilegeEscalation == false })
    }

    /// The API refuses `false` for a privileged container; capabilities reach other users than root through files only.
    @Test(
        arguments: [
            ("privileged: true", nil), ("cap_add: [NET_ADMIN]", nil), ("cap_drop: [ALL]", false),
            ("security_opt: [\"no-new-privileges:false\"]", true),
            ("security_opt: [no-new-privileges], cap_add: [CHOWN]", false),
            ("user: \"1000\"", false),
        ] as [(String, Bool?)])
    func `compose decides where it says something`(_ keys: String, _ escalates: Bool?) throws {
        #expect(try context(keys)?.allowPrivilegeEscalation == escalates)
    }

    @Test func `each default has a key of the spec that takes it back`() throws {
        #expect(try context("tty: true", spec: "security: {privilege-escalation: true}") == nil)
        let rendered = try render(
            "services: {a: {image: i}}", target: .kubernetes,
            spec: "security: {service-account-token: true, seccomp: unconfined}")
        let pod = try rendered.pod("a").spec
        #expect(pod.automountServiceAccountToken == nil)
        #expect(pod.securityContext?.seccompProfile == SecurityProfile(type: "Unconfined"))
        #expect(rendered.deployment.hostAccess(besides: []).first?.grants == ["every system call"])
    }

    @Test func `podman is told of privileges only: its own profile and the absence of a token are what it has`() throws
    {
        let pod = try render("services: {a: {image: i}}", target: .podman).pod("a").spec
        #expect(pod.containers[0].securityContext?.allowPrivilegeEscalation == false)
        #expect(pod.securityContext == nil && pod.automountServiceAccountToken == nil)
    }
}
