import KubernetesObjects
package import Rendering

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
    /// Whether others depend on a workload, and all of them with `required: false`: compose then only warns of its failure.
    func isOptional(_ workload: String) -> Bool {
        let uses = rendered.workloads.flatMap(\.dependencies).filter { $0.workload == workload }
        return !uses.isEmpty && !uses.contains(where: \.isRequired)
    }

    /// The workloads that run more than once.
    package var replicated: Set<String> {
        let index = ObjectIndex(rendered)
        return Set(rendered.workloads.filter { index.replicas($0) > 1 }.map(\.name))
    }

    /// Whether any host name leads to it.
    var hasRoutes: Bool {
        rendered.objects.contains { object in
            if case .ingress = object { true } else { false }
        }
    }
}
