package import Deployments
import OrderedCollections
import Runtimes
import Specs
import SystemCrypto
import YAML

/// The parts of a project's sessions, as workspace.yml, the user's settings and the declared agents say.
package struct ProjectSessionParts: SessionPartsFinder {
    let context: WorkspaceContext
    /// Where agents without a terminal run in the loop of `so-agent`; nil: they run by themselves.
    let loop: SessionLoop?
    /// The template of projects that name neither a template nor an image; nil: the usual one.
    let template: String?

    package init(_ context: WorkspaceContext, loop: SessionLoop? = nil, template: String? = nil) {
        self.context = context
        self.loop = loop
        self.template = template
    }

    private func load(_ project: Project, agent: String?) throws -> LoadedDefinition {
        var flags = DefinitionFlags()
        flags.agent = agent
        let loaded = try context.load(project, flags: flags)
        guard let template, loaded.definition.source == .template("default") else { return loaded }
        flags.template = template
        return try context.load(project, flags: flags)
    }

    /// The project's definition; an agent that is not declared or has no credential is refused here, before anything is made.
    package func definition(_ project: Project, _ request: SessionRequest) throws -> WorkspaceDefinition {
        let definition = try load(project, agent: request.agent).definition
        _ = try context.credentials.credentials(of: try context.agent(definition.agent))
        _ = try context.passed(definition)
        return definition
    }

    /// Of the credentials, of the values that `pass:` names, and of so's own version of the image.
    package func fingerprint(_ definition: WorkspaceDefinition) throws -> String {
        let agent = try context.agent(definition.agent)
        let credentials = try context.credentials.credentials(of: agent).flatMap { credential in
            credential.headers.map { "\(credential.provider) \($0.key) \($0.value)" }
        }
        let passed = try context.passed(definition).map { "\($0.key)=\($0.value)" }
        let layer = try context.agentLayer(definition.agent)
        return sha256Hex((credentials.sorted() + passed.sorted() + layer.instructions).joined(separator: "\0"))
    }

    package func runtime() throws -> SessionRuntime { try context.settingsStore.load().runtime }

    package func output(of agent: String) throws -> AgentDeclaration.OutputFormat { try context.agent(agent).output }

    package func parts(
        _ record: SessionRecord, _ project: Project, _ definition: WorkspaceDefinition, start: StartingPoint,
        events: @escaping SessionEvents
    ) async throws -> SessionParts {
        let loaded = try load(project, agent: record.agent)
        for warning in loaded.warnings + (try loaded.check(record.place)) { events(.note(warning.description)) }
        var layer = try context.agentLayer(record.agent)
        if let loop { layer = try layer.with(loop: loop.program) }
        if !record.place.mountsHost, let executable = context.executable {
            layer = try layer.with(probe: EgressImage.program(beside: executable))
        }
        let recipe = try loaded.recipe(agent: layer, isLasting: false)
        try await context.provide(recipe, of: project, definition) { events(.buildingImage($0)) }
        try await context.push([recipe.tag], record.place)
        let agent = try context.agent(record.agent)
        var run = agent.run(
            prompt: record.prompt, arguments: record.arguments, session: "\(record.id)",
            workTree: PodPaths.checkout(record.projectName), token: record.token ?? "\(record.id)")
        if let zone = context.timeZone { run.environment["TZ"] = run.environment["TZ"] ?? zone }
        if let loop { try run.enterLoop(agent, record, timeLimit: loop.timeLimit) }
        let part = try await context.parts(of: record, project, definition, agent) { events(.buildingImage($0)) }
        return SessionParts(
            definition: definition, image: recipe.tag, agent: run, part: part, passed: try context.passed(definition))
    }
}

/// The loop that agents without a terminal run in.
package struct SessionLoop: Hashable, Sendable {
    /// `so-agent` of this host, linked statically.
    package var program: String
    /// Seconds that one task may take.
    package var timeLimit: Int

    package init(program: String, timeLimit: Int) {
        self.program = program
        self.timeLimit = timeLimit
    }
}

extension WorkspaceContext {
    /// Sessions of this user, on the runtime that `deployments` chooses.
    package func sessions(_ deployments: DeploymentService) -> SessionService {
        SessionService(
            deployments, state: hostStateDirectory(environment), finder: ProjectSessionParts(on(deployments)))
    }

    /// Builds a project's image where the engine does not have it; `building` is told its tag first.
    ///
    /// - Parameter updates: build it again, with the newest base image and packages.
    package func provide(
        _ recipe: ImageRecipe, of project: Project, _ definition: WorkspaceDefinition, updates: Bool = false,
        building: (String) -> Void, events: @escaping @Sendable (BuildEvent) -> Void = { _ in }
    ) async throws {
        let images = images(try ImageEngine.find(environment: environment))
        if !updates, try await images.has(recipe) { return }
        building(recipe.tag)
        guard try isForeign(definition, project) else {
            return try await images.build(recipe, updates: updates, events: events)
        }
        try await withBuildNetwork(definition, recipe.base.map { [$0] } ?? [], of: project) { network in
            try await images.build(recipe, updates: updates, network: network, events: events)
        }
    }

    /// Builds images of the project's own Containerfiles where the engine does not have them; `building` is told the tag of each first.
    func provide(
        _ bases: [BaseBuild], of project: Project, _ definition: WorkspaceDefinition, building: (String) -> Void
    ) async throws {
        let images = images(try ImageEngine.find(environment: environment))
        var missing: [BaseBuild] = []
        for base in bases where try await images.engine.imageID(base.tag) == nil { missing.append(base) }
        guard !missing.isEmpty else { return }
        try await withBuildNetwork(definition, missing, of: project) { network in
            try await images.provide(missing, network: network, building: building)
        }
    }

    /// Whether programs that the project chooses run while its image is built: all but a template of so's or of the user's own.
    private func isForeign(_ definition: WorkspaceDefinition, _ project: Project) throws -> Bool {
        guard case .template(let name) = definition.source else { return true }
        let template = try templates(of: project).template(name, workingDirectory: project.path)
        return template.place == .project || Files.canonical(template.directory).hasPrefix(project.path + "/")
    }

    /// Builds an image of so's own where the engine does not have it; `building` is told its tag first.
    func provide(_ recipe: ImageRecipe, building: (String) -> Void) async throws {
        let images = images(try ImageEngine.find(environment: environment))
        if try await images.has(recipe) { return }
        building(recipe.tag)
        try await images.build(recipe)
    }

    /// The values of the host's environment that `pass:` names.
    ///
    /// - Throws: ``WorkspaceError`` (`missing`) with the names that are not set.
    func passed(_ definition: WorkspaceDefinition) throws(WorkspaceError) -> [String: String] {
        var values: [String: String] = [:]
        var missing: [String] = []
        for name in definition.pass {
            if let value = environment[name] { values[name] = value } else { missing.append(name) }
        }
        guard missing.isEmpty else {
            throw WorkspaceError(
                .missing, "`pass:` names \(missing.joined(separator: ", ")), not set in your environment",
                hint: "export \(missing[0])=…, or take it out of `pass:` in workspace.yml")
        }
        return values
    }
}

extension AgentDeclaration {
    /// How the agent is run in a pod.
    ///
    /// - Parameters:
    ///   - prompt: nil where it runs at a terminal only.
    ///   - session: the name that `${SESSION}` stands for.
    ///   - workTree: the checkout or project in the pod.
    ///   - token: what it shows to its egress.
    func run(
        prompt: String?, arguments: [String], session: String, workTree: String, token: String
    ) -> AgentRun {
        let values = AgentPlaceholders(
            egress: "http://\(StackPart.egressService):8080", token: token, workTree: workTree, home: PodPaths.home)
        let setting = setting(values)
        let prompt = prompt ?? ""
        return AgentRun(
            interactive: interactiveCommand(arguments: arguments, session: session),
            headless: headlessCommand(prompt: prompt, arguments: arguments, session: session),
            resume: interactiveCommand(arguments: arguments, session: session, resuming: true),
            headlessResume: headlessCommand(prompt: prompt, arguments: arguments, session: session, resuming: true),
            environment: Dictionary(uniqueKeysWithValues: setting.environment.map { ($0.key, $0.value) }),
            files: Dictionary(uniqueKeysWithValues: setting.files.map { ($0.key, $0.value) }),
            stopSignal: setting.stopSignal)
    }
}
