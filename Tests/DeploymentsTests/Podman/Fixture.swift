import Compose
import Deployments
import ExternalTools
import FoundationEssentials
import KubernetesObjects
import Rendering
import Runtimes
import TestSupport
import Testing

/// One deployment made in memory, with a namespace of its own.
struct Fixture: Sendable {
    let directory: String
    var namespace: String
    let image: String
    var rendered = RenderedDeployment()
    var generators: [String: DeploymentModel.SecretMaker] = [:]
    var id: String

    var model: DeploymentModel {
        DeploymentModel(
            id: id, namespace: namespace, stackName: "test", owner: directory, stateDirectory: directory + "/.state",
            dataDirectory: directory + "/data", secretsFile: directory + "/generated-secrets.yml", rendered: rendered,
            generators: generators)
    }

    var handle: DeploymentHandle { DeploymentHandle(model, runtime: runtime(Fixture.podman)) }

    func runtime(_ podman: ExternalTools.Podman) -> PodmanRuntime {
        PodmanRuntime(
            podman: podman, routes: RouteSettings(environment: ["XDG_STATE_HOME": directory]),
            service: podman.socketService())
    }

    /// The podman that the tests themselves use.
    static var podman: ExternalTools.Podman {
        var podman = ExternalTools.Podman(inherited: hostEnvironment) { _ in false }
        podman.environment["CONTAINERS_CONF"] = TestSupport.Podman.environment["CONTAINERS_CONF"]
        return podman
    }

    /// A container of the test image that runs a shell script.
    func container(_ name: String, _ script: String, configure: (inout Container) -> Void = { _ in }) -> Container {
        var container = Container(name: name, image: image)
        container.imagePullPolicy = "IfNotPresent"
        container.command = ["/bin/sh", "-c", script]
        configure(&container)
        return container
    }

    /// Adds a service of one replica, or a job.
    mutating func add(
        _ containers: [Container], job: Bool = false, dependsOn: [WorkloadDependency] = [], replicas: Int = 1,
        backoffLimit: Int = 0, spec configure: (inout PodSpec) -> Void = { _ in }
    ) {
        let name = containers.first?.name ?? ""
        var spec = PodSpec(containers: containers)
        spec.terminationGracePeriodSeconds = 1
        configure(&spec)
        let labels: StringMap = ["app.kubernetes.io/name": name]
        let template = PodTemplateSpec(metadata: ObjectMeta(labels: labels), spec: spec)
        let metadata = ObjectMeta(name: name, namespace: namespace)
        rendered.objects.removeAll { $0.name == name }
        rendered.workloads.removeAll { $0.name == name }
        if job {
            rendered.objects.append(
                .job(Job(metadata: metadata, spec: JobSpec(backoffLimit: backoffLimit, template: template))))
        } else {
            rendered.objects.append(
                .deployment(
                    Deployment(
                        metadata: metadata,
                        spec: DeploymentSpec(
                            replicas: replicas, selector: LabelSelector(matchLabels: labels), strategy: nil,
                            template: template))))
        }
        var workload = Workload(
            name: name, kind: job ? .job : .deployment, component: "test", services: containers.map(\.name))
        workload.hostnames = Dictionary(uniqueKeysWithValues: containers.map { ($0.name, [$0.name]) })
        workload.dependencies = dependsOn
        workload.completes = job
        rendered.workloads.append(workload)
    }

    /// Annotates the pods of a Deployment.
    mutating func annotate(_ name: String, _ key: String, _ value: String) {
        for index in rendered.objects.indices {
            guard case .deployment(var deployment) = rendered.objects[index], deployment.metadata.name == name else {
                continue
            }
            deployment.spec.template.metadata.annotations = StringMap([key: value])
            rendered.objects[index] = .deployment(deployment)
        }
    }

    mutating func remove(_ name: String) {
        rendered.objects.removeAll { $0.name == name }
        rendered.workloads.removeAll { $0.name == name }
    }

    static func healthy(_ name: String) -> WorkloadDependency {
        WorkloadDependency(workload: name, service: name, condition: .healthy)
    }

    static func completed(_ name: String) -> WorkloadDependency {
        WorkloadDependency(workload: name, service: name, condition: .completedSuccessfully)
    }

    static func probe(_ script: String, period: Int = 1, retries: Int = 2, startPeriod: Int = 0) -> Probe {
        var probe = Probe()
        probe.exec = ExecAction(command: ["/bin/sh", "-c", script])
        (probe.periodSeconds, probe.timeoutSeconds, probe.failureThreshold) = (period, 2, retries)
        return probe
    }

    /// Podman's ids of the running containers by service.
    func running() async throws -> [String: String] {
        let lines = try await TestSupport.Podman.lines(
            "ps", "--no-trunc", "--filter", "label=stack-orchestrator.dev/deployment=\(id)", "--format",
            "{{index .Labels \"stack-orchestrator.dev/container\"}} {{.ID}}")
        return Dictionary(
            lines.map { line in
                let parts = line.split(separator: " ").map(String.init)
                return (parts.first ?? "", parts.last ?? "")
            }, uniquingKeysWith: { $1 })
    }

    func output(of service: String) async throws -> [String] {
        let lines = Lines()
        try await handle.logs(LogRequest(services: [service])) { await lines.add($0.text) }
        return await lines.all
    }
}

actor Lines {
    private(set) var all: [String] = []
    func add(_ line: String) { all.append(line) }
}

/// What a start reported, from several tasks at once.
final class Recorder: Sendable {
    private let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    var handler: EventHandler {
        { [continuation] event in continuation.yield(event) }
    }

    /// Everything so far; called once.
    func events() async -> [Event] {
        continuation.finish()
        return await stream.reduce(into: []) { $0.append($1) }
    }
}

/// Runs a test with a deployment that is stopped with its volumes afterwards; what is then left of it is an issue.
func withFixture(
    isolation: isolated (any Actor)? = #isolation, _ body: (inout Fixture) async throws -> Void
) async throws {
    try await withTemporaryDirectory { directory in
        let token = randomToken()
        var fixture = Fixture(
            directory: directory, namespace: "so-unit-\(token)", image: try await TestSupport.Podman.testImage(),
            id: "unit-\(token)")
        var failure: (any Error)?
        do { try await body(&fixture) } catch { failure = error }
        var options = StopOptions()
        options.deleteVolumes = true
        options.graceSeconds = 0
        do { try await fixture.handle.stop(options) } catch { failure = failure ?? error }
        let leaked = try await TestSupport.Podman.named(token)
        if failure == nil { #expect(leaked == []) }
        await TestSupport.Podman.removeAll(named: token)
        if let failure { throw failure }
    }
}
