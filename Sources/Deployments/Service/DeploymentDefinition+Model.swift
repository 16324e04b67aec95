import Compose
import OrderedCollections
import Rendering
import Runtimes
import Specs
import YAML

extension DeploymentDefinition {
    private var secretsFile: String { stateDirectory + "/generated-secrets.yml" }

    /// Loads, layers and renders it.
    ///
    /// - Parameters:
    ///   - allocatesPorts: whether host ports are chosen where the files leave them open.
    ///   - adjust: changes what is rendered for, before it is rendered.
    /// - Throws: `InvalidInput` with every problem at once.
    func model(
        _ host: DeploymentHost, allocatesPorts: Bool = false, adjust: (inout RenderOptions) -> Void = { _ in }
    ) throws -> (model: DeploymentModel, warnings: [Diagnostic]) {
        var diagnostics = Diagnostics()
        let ports = AllocatedPorts(file: stateDirectory + "/ports.yml")
        var result = try model(host, &diagnostics) { options, project in
            if spec.ties.choosesPorts {
                options.allocatedPorts = try allocatesPorts ? ports.allocate(for: project) : ports.read()
            }
            adjust(&options)
        }
        result.environment = host.environment
        try diagnostics.throwIfErrors()
        return (result, diagnostics.list)
    }

    /// Looks users that the compose files name up in images of this host; see ``ImageUsers/complete(in:host:render:)``.
    func lookUpUsers(_ host: DeploymentHost) async throws -> Bool {
        try await ImageUsers.complete(in: stateDirectory, host: host.environment) { number in
            _ = try model(host) { $0.userNumber = number }
        }
    }

    private typealias Adjustment = (inout RenderOptions, LayeredProject) throws -> Void

    private func model(
        _ host: DeploymentHost, _ diagnostics: inout Diagnostics, _ adjust: Adjustment
    ) throws -> DeploymentModel {
        switch content {
        case .nothing: return model(RenderedDeployment(), nil)
        case .rendered(let rendered): return model(rendered, nil)
        case .project(let project, let tree): return try rendered(project, tree, &diagnostics, adjust)
        case .compose(let files, let tree):
            var options = LayerOptions(hostEnvironment: host.environment)
            options.givenSecrets = secrets
            options.projectName = Names.label(name)
            let project = layer(
                composeFiles: files, spec: spec, options: options, tree: tree, diagnostics: &diagnostics)
            guard let project else { throw InvalidInput(diagnostics.list) }
            return try rendered(project, tree, &diagnostics, adjust)
        }
    }

    private func rendered(
        _ project: LayeredProject, _ tree: FileTree, _ diagnostics: inout Diagnostics, _ adjust: Adjustment
    ) throws -> DeploymentModel {
        var options = RenderOptions(spec: spec, stackName: name, deploymentID: id)
        if spec.ties.numbersUsers {
            let users = try ImageUsers.kept(in: stateDirectory)
            options.userNumber = { users.number($0) }
        }
        if spec.ties.runsPublishedImages(spec) { options.images = images }
        try adjust(&options, project)
        return model(render(project, options: options, tree: tree, diagnostics: &diagnostics), project)
    }

    private func model(_ rendered: RenderedDeployment, _ project: LayeredProject?) -> DeploymentModel {
        let makers = (project?.generators ?? [:]).map { name, generator in
            (name, { try generator.generate() } as DeploymentModel.SecretMaker)
        }
        let credentials = (project?.credentials ?? [:]).map { ($0.key, $0.value) }
        var model = DeploymentModel(
            id: id, namespace: spec.effectiveNamespace(of: name), stackName: name, owner: owner,
            stateDirectory: stateDirectory, operatorPaths: spec.operatorPaths(homeDirectory: nil),
            secretsFile: secretsFile, rendered: rendered,
            generators: Dictionary(makers) { $1 },
            credentials: secrets.filter { !$0.value.isEmpty }.merging(credentials) { $1 })
        model.hasVerbs = false
        model.keeper = keeper
        return model
    }
}
