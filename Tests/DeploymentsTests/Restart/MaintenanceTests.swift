import ExternalTools
import KubernetesObjects
import Rendering
import Specs
import Synchronization
import Testing

@testable import Deployments
@testable import Runtimes

/// A runtime with an Ingress that only remembers what it was asked.
private final class RouteRecorder: Runtime {
    let calls = Mutex<[String]>([])
    /// The services that each plan was asked for.
    let plans = Mutex<[[String]]>([])
    let failing: Set<String>
    /// Whether a start of the named services alone changes anything.
    let changesNamed: Bool

    init(failing: Set<String> = [], changesNamed: Bool = false) {
        self.failing = failing
        self.changesNamed = changesNamed
    }

    func kept(by _: String) async throws(DeploymentError) -> [KeptDeployment] { [] }
    func oneOffs(_: DeploymentModel) async throws(DeploymentError) -> [PodStatus] { [] }
    func addresses(_: DeploymentModel, service: String) async throws(DeploymentError) -> [ServiceAddress] { [] }
    func watch(_: DeploymentModel, changed: @escaping @Sendable () -> Void) async {}
    func prepareRun(
        _: DeploymentModel, _: RunRequest, events: @escaping EventHandler
    ) async throws(DeploymentError) -> PreparedRun { PreparedRun { (_) async throws(DeploymentError) in 0 } }
    func capture(_: DeploymentModel, _: ExecRequest, input: [UInt8]) async throws(DeploymentError) -> CommandOutput {
        throw DeploymentError(.unsupported, "nothing runs")
    }

    private func backends(_ model: DeploymentModel) -> String {
        model.rendered.objects.compactMap { object in
            guard case .ingress(let ingress) = object else { return nil }
            return ingress.spec.rules.flatMap(\.http.paths).map {
                "\($0.backend.service.name):\($0.backend.service.port.number ?? 0)"
            }
            .joined(separator: ",")
        }.joined(separator: ",")
    }

    private func note(_ call: String) throws(DeploymentError) {
        let count = calls.withLock { calls in
            calls.append(call)
            return calls.filter { $0 == call }.count
        }
        if failing.contains(call) || failing.contains("\(call) #\(count)") {
            throw DeploymentError(.failed, "\(call) failed")
        }
    }

    func applyRoutes(_ deployment: DeploymentModel) async throws(DeploymentError) {
        try note("routes \(backends(deployment))")
    }

    func plan(_ deployment: DeploymentModel, options: StartOptions) async throws(DeploymentError) -> StartPlan {
        plans.withLock { $0.append(options.services) }
        let item = Plan.Item(kind: "pod", name: "sorry", service: "sorry", action: .replace)
        let isEmpty = options.services.isEmpty || !changesNamed
        return StartPlan(Plan(items: isEmpty ? [] : [item]), options) { (_) async throws(DeploymentError) in
            try self.note("start \(options.services.joined()) \(self.backends(deployment))")
            return StartResult(plan: Plan(), published: [])
        }
    }

    func exec(_: DeploymentModel, _: ExecRequest, on: CommandStreams) async throws(DeploymentError) -> Int { 0 }
    func stop(_: DeploymentModel, options: StopOptions, events: @escaping EventHandler) async throws(DeploymentError) {}
    func data(_ deployment: DeploymentModel) async throws(DeploymentError) -> [DeploymentData] { [] }
    func secrets(_ deployment: DeploymentModel) async throws(DeploymentError) -> [SecretListing] { [] }
    func rotateSecret(_ deployment: DeploymentModel, name: String) async throws(DeploymentError) {}
    func copy(_: DeploymentModel, _: CopyRequest, on: CommandStreams) async throws(DeploymentError) -> Int { 0 }
    func forward(
        _: DeploymentModel, _: ForwardRequest, events: @escaping @Sendable (ForwardEvent) async -> Void
    ) async throws(DeploymentError) -> Int { 0 }
    func importSecrets(
        _ deployment: DeploymentModel, _ values: [String: String], replaces: Bool
    ) async throws(DeploymentError) -> [String] { [] }
    func status(_ deployment: DeploymentModel, probe: Bool) async throws(DeploymentError) -> [PodStatus] { [] }
    func logs(
        _: DeploymentModel, _: LogRequest, line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) {}
    func runJob(
        _: DeploymentModel, job: String, events: @escaping EventHandler,
        line: @escaping @Sendable (LogLine) async -> Void
    ) async throws(DeploymentError) -> Int { 0 }
}

@Suite struct MaintenanceTests {
    private var model: DeploymentModel {
        var rendered = RenderedDeployment()
        let rule = IngressRule(
            host: "app.example.com",
            paths: [
                IngressPath(path: "/", service: "web", port: 80), IngressPath(path: "/api", service: "api", port: 8080),
            ])
        rendered.objects = [.ingress(Ingress(metadata: ObjectMeta(name: "app"), spec: IngressSpec(rules: [rule])))]
        return DeploymentModel(
            id: "x", namespace: "x", stackName: "x", owner: "/x", stateDirectory: "/x", secretsFile: "/x/s",
            rendered: rendered)
    }

    private var options: StartOptions {
        var options = StartOptions()
        options.maintenance = RouteTarget(service: "sorry", port: 8000)
        return options
    }

    @Test func `routes lead to the maintenance service while pods are replaced, and back`() async throws {
        let recorder = RouteRecorder()
        try await DeploymentHandle(model, runtime: recorder).start(options)
        #expect(
            recorder.calls.withLock { $0 } == [
                "start sorry web:80,api:8080", "routes sorry:8000,sorry:8000", "start  sorry:8000,sorry:8000",
                "routes web:80,api:8080",
            ])
    }

    @Test func `a plan holds both phases, and the second is decided again only after a change by the first`()
        async throws
    {
        let recorder = RouteRecorder()
        let plan = try await DeploymentHandle(model, runtime: recorder).plan(options)
        #expect(recorder.plans.withLock { $0 } == [[], ["sorry"], []])
        #expect(recorder.calls.withLock { $0 } == [])
        _ = try await plan.execute { _ in }
        #expect(recorder.plans.withLock { $0.count } == 3)

        let changing = RouteRecorder(changesNamed: true)
        try await DeploymentHandle(model, runtime: changing).start(options)
        #expect(changing.plans.withLock { $0 } == [[], ["sorry"], [], []])
    }

    @Test(arguments: ["start  sorry:8000,sorry:8000", "routes sorry:8000,sorry:8000"])
    func `routes lead back where the restart fails`(call: String) async {
        let recorder = RouteRecorder(failing: [call])
        let error = await #expect(throws: DeploymentError.self) {
            try await DeploymentHandle(model, runtime: recorder).start(options)
        }
        #expect(error?.message == "\(call) failed")
        #expect(recorder.calls.withLock { $0.last } == "routes web:80,api:8080")
    }

    @Test func `a failure to lead the routes back says so, and what does`() async {
        let error = await #expect(throws: DeploymentError.self) {
            try await DeploymentHandle(model, runtime: RouteRecorder(failing: ["routes web:80,api:8080"])).start(
                options)
        }
        #expect(error?.message == "the routes still point to the maintenance service")
        #expect(error?.hint?.contains("so deployment start") == true)
    }

    @Test func `a cancelled restart leads the routes back too`() async {
        let recorder = RouteRecorder()
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = try? await DeploymentHandle(model, runtime: recorder).start(options) }
            group.cancelAll()
        }
        #expect(recorder.calls.withLock { $0.last } == "routes web:80,api:8080")
    }

    @Test func `a name that leads elsewhere, and one without an address, are told`() async {
        #expect(await HostNames().problems(["localhost", "*.example.com"]) == [:])
        let elsewhere = await HostNames(expected: ["192.0.2.1"]).problems(["localhost"])
        #expect(elsewhere["localhost"]?.contains("not to 192.0.2.1") == true)
        let none = await HostNames().problems(["nobody.invalid"])
        #expect(none["nobody.invalid"]?.contains("nobody.invalid") == true)
    }
}
