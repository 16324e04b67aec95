import KubernetesObjects
package import Rendering
package import YAML

/// Everything that a runtime must know of one deployment: read from its directory, or made in memory.
package struct DeploymentModel: Sendable {
    /// Makes the value of one generated secret.
    package typealias SecretMaker = @Sendable () throws -> String

    /// The identity that stays for the deployment's life: what its pods, networks and volumes are labelled with.
    package var id: String
    package var namespace: String
    package var stackName: String
    /// Who owns the namespace, as shown to a user: the deployment's directory.
    package var owner: String
    /// Who finds it again by its labels where its record is lost; valid as a label's value. Nil: nobody looks for it.
    package var keeper: String?
    /// Absolute; the runtime's own files, mode 0700. Created when needed.
    package var stateDirectory: String
    /// Absolute; holds `<volume>` directories that `deleteVolumes` may delete. Nil: there are none.
    package var dataDirectory: String?
    /// Absolute paths that the operator gave to volumes by hand: never deleted, also where they lie below ``dataDirectory``.
    package var operatorPaths: Set<String> = []
    /// Absolute paths below ``dataDirectory`` that so made itself: nothing else there is deleted. Nil: everything there is its own.
    package var madeDirectories: Set<String>?
    /// Absolute; the 0600 file of the generated secrets.
    package var secretsFile: String
    package var rendered: RenderedDeployment
    /// The commands that build images which the deployment's own files say how to build, by the image's name.
    package var buildCommands: [String: String] = [:]
    /// The declared `$generate:…$` secrets by name.
    package var generators: [String: SecretMaker]
    /// Secret values that are given, not generated: those of the credentials files.
    package var credentials: [String: String]
    /// The operator's environment: the tokens of registries are taken from it, and the values of names that an exec hands on.
    package var environment: [String: String] = [:]
    /// Whether a directory holds the deployment of which this one is a copy.
    package var isOriginal: @Sendable (String) -> Bool = { _ in false }
    /// Whether it is a compose project of its user's own, whose verbs are `so up` and its kin.
    package var isProject = false
    /// Whether `so` has verbs for it: one that another part of so makes from memory is handled by the verbs of that part.
    package var hasVerbs = true
    /// The services of a compose project whose profiles are inactive: what runs of them is not an orphan.
    package var inactiveServices: Set<String> = []
    /// Where a compose project's files publish a port, by ``portKey(_:_:_:)``.
    package var portMarks: [String: Mark] = [:]
    /// The workloads of jobs that have ended well on the data that is there: what is left of them stays as it is.
    package var completedJobs: Set<String> = []

    package init(
        id: String, namespace: String, stackName: String, owner: String, stateDirectory: String,
        dataDirectory: String? = nil, operatorPaths: Set<String> = [], secretsFile: String,
        rendered: RenderedDeployment,
        generators: [String: SecretMaker] = [:], credentials: [String: String] = [:]
    ) {
        self.id = id
        self.namespace = namespace
        self.stackName = stackName
        self.owner = owner
        self.stateDirectory = stateDirectory
        self.dataDirectory = dataDirectory
        self.operatorPaths = operatorPaths
        self.secretsFile = secretsFile
        self.rendered = rendered
        self.generators = generators
        self.credentials = credentials
    }
}

extension DeploymentModel {
    package static func portKey(_ service: String, _ port: Int, _ transport: String) -> String {
        "\(service)/\(port)/\(transport)"
    }

    /// A command of this deployment, as a hint names it; nil where it has none.
    package func command(_ verb: String) -> String? { hasVerbs ? (isProject ? "so " : "so deployment ") + verb : nil }

    /// - Throws: ``DeploymentError`` where the workload of a service has no such replica.
    package func requireReplica(_ index: Int, of service: String) throws(DeploymentError) {
        let count = try ObjectIndex(rendered).replicas(workload(named: service))
        guard index != 1, !(1...max(1, count)).contains(index) else { return }
        throw DeploymentError(
            .failed,
            count == 1
                ? "\(service) has 1 replica: --index is 1"
                : "\(service) has \(count) replicas: --index is 1 to \(max(1, count))")
    }

    /// Whether others depend on a workload, and all of them with `required: false`: compose then only warns of its failure.
    func isOptional(_ workload: String) -> Bool {
        let uses = rendered.workloads.flatMap(\.dependencies).filter { $0.workload == workload }
        return !uses.isEmpty && !uses.contains(where: \.isRequired)
    }

    /// The workloads that a start of these services is about: those that run them, and all that they depend on; nil: all of the deployment's.
    ///
    /// - Parameter leavesDependencies: whether what they depend on is left out.
    func selection(_ services: [String], leavesDependencies: Bool = false) -> Set<String>? {
        guard !services.isEmpty else { return nil }
        var open = rendered.workloads.filter { workload in
            services.contains(workload.name) || workload.services.contains { services.contains($0) }
        }
        var chosen: Set<String> = []
        while let workload = open.popLast() {
            guard chosen.insert(workload.name).inserted, !leavesDependencies else { continue }
            let next = Set(workload.dependencies.map(\.workload))
            open += rendered.workloads.filter { next.contains($0.name) }
        }
        return chosen
    }

    /// The workloads that run more than once.
    package var replicated: Set<String> {
        let index = ObjectIndex(rendered)
        return Set(rendered.workloads.filter { index.replicas($0) > 1 }.map(\.name))
    }

    /// Whether any host name leads to it.
    package var hasRoutes: Bool {
        rendered.objects.contains { object in
            if case .ingress = object { true } else { false }
        }
    }
}
