import KubernetesObjects
import Rendering
import Runtimes
import SystemCrypto
import YAML

/// The jobs of the stack that have ended well on the data that is there: no start runs them on it again.
///
/// A file of the deployment, since a stop takes the jobs themselves away; it goes with the data.
struct CompletedJobs: Hashable, Sendable {
    /// By the job's name in stack.yml, what it was then: ``DeploymentModel/definition(of:)``. Empty where that is not known.
    private(set) var definitions: [String: String] = [:]

    init() {}

    init(in stateDirectory: String) throws(DeploymentError) {
        let path = Self.file(in: stateDirectory)
        guard let bytes = try PrivateFile.read(path) else { return }
        do {
            for entry in try loadYAMLDocument(bytes, file: path).mapping?.entries ?? [] {
                definitions[entry.key] = entry.value.text ?? ""
            }
        } catch {
            throw DeploymentError(.cannotCreate, "\(path) cannot be read", cause: "\(error)")
        }
    }

    var names: Set<String> { Set(definitions.keys) }

    mutating func insert(_ name: String, definition: String) { definitions[name] = definition }

    func write(in stateDirectory: String) throws(DeploymentError) {
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        let entries = definitions.sorted { $0.key < $1.key }.map { ($0.key, Node.string($0.value)) }
        try PrivateFile.write(Array(Node.map(entries).yaml().utf8), to: Self.file(in: stateDirectory))
    }

    static func remove(in stateDirectory: String) throws(DeploymentError) {
        try PrivateFile.remove(file(in: stateDirectory))
    }

    private static func file(in stateDirectory: String) -> String { stateDirectory + "/completed-jobs.yml" }
}

extension DeploymentModel {
    /// The workloads of each job of the stack, by the job's name in stack.yml.
    var stackJobs: [String: [Workload]] {
        Dictionary(grouping: rendered.workloads.filter(\.isStackJob), by: \.component)
    }

    /// What the pods of some workloads are, as a short text that changes with them; it tells nothing of any secret.
    func definition(of workloads: [Workload]) -> String {
        let texts = workloads.compactMap { rendered.podTemplate(of: $0) }.compactMap {
            try? NodeEncoder().encode($0).json()
        }
        return String(sha256Hex(Array(texts.joined(separator: "\n").utf8)).prefix(16))
    }

    /// The same without these jobs.
    fileprivate func without(jobs: Set<String>) -> DeploymentModel {
        guard !jobs.isEmpty else { return self }
        var model = self
        model.rendered.workloads.removeAll { jobs.contains($0.name) }
        model.rendered.objects.removeAll { object in
            if case .job(let job) = object { jobs.contains(job.metadata.name ?? "") } else { false }
        }
        return model
    }
}

extension DeploymentHandle {
    /// The deployment as a start takes it: jobs that have ended well on this data stay as they are, and are not made again where they are
    /// gone. Whoever names one asks for it.
    func sparingCompletedJobs(_ services: [String]) async throws(DeploymentError) -> DeploymentHandle {
        let done = try completedJobs(CompletedJobs(in: model.stateDirectory), besides: services)
        guard !done.isEmpty else { return self }
        let names = Set(done.values.joined().map(\.name))
        let present = Set(try await runtime.status(model, probe: false).filter { $0.state != .absent }.map(\.service))
        var handle = self
        handle.model = model.without(jobs: names.subtracting(present))
        handle.model.completedJobs = names
        return handle
    }

    /// Says of each job that is not run again that it has changed since it ran.
    func tellChangedJobs(_ services: [String], _ events: EventHandler) throws(DeploymentError) {
        let record = try CompletedJobs(in: model.stateDirectory)
        for (name, workloads) in completedJobs(record, besides: services).sorted(by: { $0.key < $1.key }) {
            tellChange(of: name, workloads, record, events)
        }
    }

    private func completedJobs(_ record: CompletedJobs, besides services: [String]) -> [String: [Workload]] {
        model.stackJobs.filter { name, workloads in
            let names = Set(workloads.flatMap { [$0.name] + $0.services })
            return record.names.contains(name) && names.isDisjoint(with: services)
        }
    }

    private func tellChange(of job: String, _ workloads: [Workload], _ record: CompletedJobs, _ events: EventHandler) {
        guard let former = record.definitions[job], !former.isEmpty, former != model.definition(of: workloads) else {
            return
        }
        let what = "the job \(job) has changed since it ran on this data, and is not run on it again"
        events(Event(nil, .note(Diagnostic(.warning, at: nil, what, hint: "so deployment run-job \(job)"))))
    }

    /// Writes down which jobs have ended well.
    func recordCompletedJobs() async throws(DeploymentError) {
        var record = try CompletedJobs(in: model.stateDirectory)
        let open = model.stackJobs.filter { !record.names.contains($0.key) }
        guard !open.isEmpty else { return }
        let pods = Dictionary(grouping: try await runtime.status(model, probe: false), by: \.service)
        let done = open.filter { _, workloads in
            workloads.allSatisfy { pods[$0.name]?.allSatisfy { $0.state == .completed } ?? false }
        }
        guard !done.isEmpty else { return }
        for (name, workloads) in done { record.insert(name, definition: model.definition(of: workloads)) }
        try record.write(in: model.stateDirectory)
    }

    /// Writes down that somebody has run a job.
    func recordCompleted(_ job: String) throws(DeploymentError) {
        guard let found = model.stackJobs.first(where: { $0.value.contains { $0.name == job } }) else { return }
        var record = try CompletedJobs(in: model.stateDirectory)
        record.insert(found.key, definition: model.definition(of: found.value))
        try record.write(in: model.stateDirectory)
    }

    /// The pods, where a job that has ended well and whose pod is gone is none that lacks.
    func completing(_ pods: [PodStatus]) throws(DeploymentError) -> [PodStatus] {
        let jobs = model.stackJobs
        guard !jobs.isEmpty, pods.contains(where: { $0.state == .absent }) else { return pods }
        let record = try CompletedJobs(in: model.stateDirectory)
        let done = Set(jobs.filter { record.names.contains($0.key) }.values.joined().map(\.name))
        return pods.map { pod in
            guard pod.state == .absent, done.contains(pod.service) else { return pod }
            var pod = pod
            (pod.state, pod.isReady, pod.exitCode) = (.completed, true, 0)
            return pod
        }
    }
}
