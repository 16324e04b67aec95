import Compose
import OrderedCollections
package import Rendering
package import Runtimes
package import Specs
import Stacks
package import YAML

/// A deployment directory read and rendered: what every `so deployment` verb starts from.
package struct LoadedDeployment: Sendable {
    package var directory: DeploymentDirectory
    package var spec: Spec
    package var stack: ResolvedStack
    package var project: LayeredProject
    package var rendered: RenderedDeployment
    package var namespace: String
    /// The directories that so made for volumes; absolute.
    package var madeDirectories: Set<String> = []
    /// What `~` stands for in the spec's paths.
    package var homeDirectory: String?
    /// The operator's environment.
    package var environment: [String: String] = [:]
    /// Warnings of all the stages.
    package var warnings: [Diagnostic]
}

extension LoadedDeployment {
    /// Reads a deployment directory.
    ///
    /// - Parameters:
    ///   - options: what the host brings into layering.
    ///   - allocatesPorts: whether host ports are chosen where the files leave them open; the caller then holds the lock.
    ///   - adjust: changes what is rendered for, before it is rendered.
    /// - Throws: `InvalidInput` with every problem at once; ``DeploymentError`` where there is no deployment.
    package static func load(
        _ directory: DeploymentDirectory, options: LayerOptions, allocatesPorts: Bool = false,
        adjust: (inout RenderOptions) -> Void = { _ in }
    ) throws -> LoadedDeployment {
        if let project = try directory.project() {
            return try load(
                project, in: directory, options: options, allocatesPorts: allocatesPorts, adjust: adjust)
        }
        var diagnostics = Diagnostics()
        var options = options
        let edits = try directory.configEdits()
        diagnostics.append(contentsOf: edits.warnings)
        options.configEdits = edits.values
        let stack = try ResolvedStack.deployment(
            directory: directory.root, name: directory.identity.stackName, tree: try directory.fileTree())
        var written = parseSpec(
            try Files.read(directory.specFile), file: directory.specFile, directory: directory.root,
            diagnostics: &diagnostics)
        let images = try directory.imageRecords()
        written?.override(images.overrides)
        written?.place(try directory.placedVolumes())
        let allowed = written?.allowedPaths.map { written?.path($0.value, homeDirectory: options.homeDirectory) ?? "" }
        let tree = try directory.fileTree(allowing: allowed ?? [])
        guard let spec = written,
            let project = layer(stack, spec: spec, options: options, tree: tree, diagnostics: &diagnostics)
        else { throw InvalidInput(diagnostics.list) }
        var renderOptions = RenderOptions(
            spec: spec, stackName: directory.identity.stackName, deploymentID: directory.identity.deploymentID)
        renderOptions.deploymentDirectory = directory.root
        renderOptions.homeDirectory = options.homeDirectory
        if renderOptions.ties.choosesPorts {
            renderOptions.allocatedPorts =
                allocatesPorts ? try directory.allocatePorts(for: project) : try directory.allocatedPorts()
        }
        let (root, manifest) = (directory.root, try directory.manifest())
        renderOptions.writtenContent = { source in
            source.hasPrefix(root + "/") ? manifest.writtenDigest(of: String(source.dropFirst(root.count + 1))) : nil
        }
        if renderOptions.ties.numbersUsers {
            let users = try directory.imageUsers()
            renderOptions.userNumber = { users.number($0) }
        }
        adjust(&renderOptions)
        if renderOptions.ties.runsPublishedImages(spec) {
            renderOptions.images = Dictionary(images.published.map { ($0.key, $0.value) }) { $1 }
        }
        let rendered = render(project, options: renderOptions, tree: tree, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        return LoadedDeployment(
            directory: directory, spec: spec, stack: stack, project: project, rendered: rendered,
            namespace: renderOptions.namespace, madeDirectories: try directory.madeDirectories(),
            homeDirectory: options.homeDirectory, environment: options.hostEnvironment, warnings: diagnostics.list)
    }
}

extension Spec {
    /// Images that `restart --image` chose, over the spec's own.
    mutating func override(_ images: OrderedDictionary<String, String>) {
        for (service, image) in images { imageOverrides[service] = Located(image, at: Mark(file: "--image")) }
    }
}

extension RenderOptions {
    /// The options that a spec asks for.
    package init(spec: Spec, stackName: String, deploymentID: String) {
        let target: Target =
            switch spec.deployTo ?? .podman {
            case .podman: .podman
            case .kind: .kind
            case .kubernetes: .kubernetes
            }
        self.init(
            target: target, namespace: spec.effectiveNamespace(of: stackName), deploymentID: deploymentID,
            stackName: stackName)
    }
}

extension LoadedDeployment {
    /// How the images are built that stack.yml or a `build` section makes.
    private var buildCommands: [String: String] {
        let source = directory.identity.stackSource
        let isThere = Files.exists("\(source)/stack.yml")
        let isProject = stack.file.pods.isEmpty && !isThere
        let command =
            isProject
            ? "so up --build" : "so build-containers --stack \(isThere ? source : directory.identity.stackName)"
        let listed = stack.file.containers.map { $0.value.contains(":") ? $0.value : "\($0.value):local" }
        let sections = ([project.project] + project.jobs.values).flatMap { project in
            project.services.values.compactMap { service in
                service.build == nil ? nil : service.image ?? "\(project.name)-\(service.name)"
            }
        }
        return Dictionary((listed + sections).map { ($0, command) }) { first, _ in first }
    }

    /// What a runtime needs to know of the deployment.
    package var model: DeploymentModel {
        let makers = project.generators.mapValues { generator -> DeploymentModel.SecretMaker in
            { try generator.generate() }
        }
        var model = DeploymentModel(
            id: directory.identity.deploymentID, namespace: namespace, stackName: directory.identity.stackName,
            owner: directory.root, stateDirectory: directory.stateDirectory, dataDirectory: directory.dataDirectory,
            operatorPaths: spec.operatorPaths(homeDirectory: homeDirectory), secretsFile: directory.secretsFile,
            rendered: rendered,
            generators: Dictionary(uniqueKeysWithValues: makers.map { ($0.key, $0.value) }),
            credentials: Dictionary(uniqueKeysWithValues: project.credentials.map { ($0.key, $0.value) }))
        model.buildCommands = buildCommands
        model.madeDirectories = madeDirectories
        model.environment = environment
        model.isOriginal = directory.isOriginal
        guard directory.runsProject else { return model }
        model.isProject = true
        model.inactiveServices = Set(project.project.disabledServices.keys.flatMap { [$0, Names.label($0)] })
        for service in project.project.services.values {
            for port in service.ports {
                let key = DeploymentModel.portKey(service.name, port.target, port.transport.rawValue)
                model.portMarks[key] = model.portMarks[key] ?? port.mark
            }
        }
        return model
    }
}

extension LoadedDeployment {
    /// What it needs of the host's kind cluster.
    package var kindNeeds: KindNeeds {
        KindNeeds(spec, model, homeDirectory: homeDirectory, directory: directory.root)
    }
}
