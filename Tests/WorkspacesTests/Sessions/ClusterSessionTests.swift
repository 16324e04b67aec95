import Deployments
import Egress
import KubernetesObjects
import Rendering
import Runtimes
import Specs
import TestSupport
import Testing
import YAML

@testable import Workspaces

/// What a session is on a cluster, as it is rendered: the cluster itself is that of the scenarios.
@Suite struct ClusterSessionTests {
    private let surroundings = EgressSurroundings(
        address: "10.96.3.4", answering: ["10.96.0.1:443", "10.96.0.10:53"], nameServers: ["10.96.0.10"])

    private func part(
        _ surroundings: EgressSurroundings?, _ change: (inout EgressPolicy) -> Void = { _ in }
    ) throws -> StackPart {
        let network = SessionNetwork.named(surroundings)
        var policy = EgressPolicy()
        change(&policy)
        var egress = SessionEgress(session: "s-abcd1234", address: network.egress, policy: policy, token: "so-token")
        egress.listen = network.listen
        let agent = try AgentDeclaration.load("claude-code", from: [Shared.packageRoot + "/config/agents"])
        var part = EgressPart(
            egress, in: network, agent: agent, credentials: [], image: "localhost/so-egress:1",
            program: "/usr/bin/so-egress")
        part.mountsProgram = false
        return try part.part()
    }

    private func opened(_ part: StackPart, _ directory: String, _ runtime: SessionRuntime) throws -> OpenDeployment {
        var stack = WorkspaceStack(
            name: "s-abcd1234", owner: "session s-abcd1234", stateDirectory: directory + "/state",
            image: "localhost/so-workspace:1", user: PodUser(user: 1000, group: 1000))
        stack.runtime = runtime
        stack.part = part
        stack.scripts = ["main": Array("true\n".utf8)]
        stack.resources.disk = Quantity(bytes: "20Gi")
        return try DeploymentService(DeploymentHost(environment: [:])).read(stack.definition())
    }

    private func text(_ deployment: OpenDeployment, _ kind: String) throws -> [Node] {
        try deployment.model.rendered.objects.map { try $0.node() }.filter { $0.text("kind") == kind }
    }

    @Test func `its pods see nothing of this host, and what leads out is the egress alone`() async throws {
        try await withTemporaryDirectory { directory in
            let deployment = try opened(
                try part(surroundings), directory,
                SessionRuntime(.kubernetes, kubeconfig: "/x", imageRegistry: "r.example/x"))
            let pods = try text(deployment, "Deployment")
            #expect(pods.count == 2)
            let all = pods.map { $0.json() }.joined()
            // The egress's image has no shell that could fill a volume.
            #expect(!all.contains("hostPath") && !all.contains("initContainers"))
            #expect(all.contains("r.example/x/so-workspace:1") && all.contains("r.example/x/so-egress:1"))
            #expect(all.contains("\"imagePullPolicy\":\"IfNotPresent\"") && !all.contains("Never"))
            #expect(all.contains("\"nameservers\":[\"10.96.3.4\"]") && all.contains("\"dnsPolicy\":\"None\""))
            #expect(all.contains("\"automountServiceAccountToken\":false"))
            #expect(!all.contains("so-token") && !all.contains("hostPort"))
            let policies = try text(deployment, "NetworkPolicy")
            // The agent may go to its network's members, and nowhere else: not even to the cluster's DNS.
            let agent = try #require(policies.first { $0.json().contains("agent-internal") })
            let rules = agent.value("spec")?.value("egress")?.sequence ?? []
            #expect(rules.count == 1 && !agent.json().contains("\"port\":53"), "\(agent.json())")
            #expect(!policies.contains { $0.json().contains("egress-internal") })
            let claims = try text(deployment, "PersistentVolumeClaim").map { $0.json() }
            #expect(claims.count == 3 && claims.contains { $0.contains("20Gi") }, "\(claims)")
        }
    }

    @Test(.pods) func `the user of a companion is the number that its image knows`() async throws {
        let token = randomToken()
        try await withTemporaryDirectory { directory in
            let image = try await TestSupport.Podman.imageWithUser(token, in: directory)
            let finder = ScriptedParts(image: "localhost/so-workspace:1", script: "true")
            let host = DeploymentHost(environment: TestSupport.Podman.environment)
            let service = SessionService(DeploymentService(host), state: directory + "/so", finder: finder)
            let source = try await GitRepository(directory + "/project")
            try await source.commit(["a.txt": "one\n"], "first")
            let project = try Project(source.directory)
            let repository = try await service.repository(at: source.directory)
            let start = try await repository.start()
            var record = SessionRecord(
                id: try #require(SessionID("s-abcd1234")), project: project.path, projectName: project.name, agent: "x")
            record.runtime = SessionRuntime(.kubernetes, kubeconfig: "/x")
            let definition = try finder.definition(project, SessionRequest(directory: project.path))
            try await BaseStore(service.stores(record)).prepare(record.id, from: repository, at: start)
            var parts = try await finder.parts(record, project, definition, start: start) { _ in }
            parts.part.services["web"] = .map([("image", .string(image)), ("user", .string("web"))])
            let opened = try await service.open(record, project, parts, service.script(record, project, parts, nil))
            let pods = try text(opened, "Deployment").map { $0.json() }
            #expect(pods.contains { $0.contains(image) && $0.contains("\"runAsUser\":1234") }, "\(pods)")
            _ = try await TestSupport.Podman.lines("rmi", image)
        }
    }

    @Test func `the gate asks for what answers the egress, and stays away where a user accepts that`() throws {
        let gate = try part(surroundings).gate
        #expect(gate.starts(with: ["/so/so-egress", "gate", "10.96.3.4:8080", "10.96.0.1:443", "10.96.0.10:53"]))
        #expect(gate.contains("dns:example.com@10.96.0.10") && gate.contains("169.254.169.254:80"))
        #expect(try part(nil).gate == [])
        #expect(try part(surroundings) { $0.deniesAll = false }.gate == [])
        // What the egress is told does not depend on what it has found: else it would be replaced by its own answer.
        #expect(try part(nil).secrets == part(surroundings).secrets)
    }

    @Test func `what no cluster has is refused with what to do`() throws {
        var part = StackPart()
        part.hostServices = [HostService(name: "mysql", port: 3306)]
        let error = #expect(throws: WorkspaceError.self) { try SessionRuntime(.kind).check(part) }
        #expect(error?.description.contains("databases: [mysql]") == true)
        try SessionRuntime(.podman).check(part)
        part = StackPart()
        part.folders = ["web": "folder-1"]
        #expect(throws: WorkspaceError.self) { try SessionRuntime(.kubernetes).check(part) }
    }

    @Test func `settings name the runtime, and a faulty one is refused`() throws {
        var diagnostics = Diagnostics()
        let text = "deploy-to: k8s\nkube-config: /etc/kube\nimage-registry: r.example/x\n"
        let node = try loadYAMLDocument(Array(text.utf8), file: "settings.yml")
        let settings = UserSettings(node, diagnostics: &diagnostics)
        #expect(diagnostics.list == [])
        #expect(settings.runtime == SessionRuntime(.kubernetes, kubeconfig: "/etc/kube", imageRegistry: "r.example/x"))
        _ = UserSettings(
            try loadYAMLDocument(Array("deploy-to: swarm\n".utf8), file: "settings.yml"), diagnostics: &diagnostics)
        #expect(diagnostics.list.count == 1)
        let record = SessionRecord(
            id: try #require(SessionID("s-abcd1234")), project: "/p", projectName: "p-01234567", agent: "x")
        #expect(record.place == SessionRuntime())
    }
}
