import Deployments
import Egress
import FoundationEssentials
import Glibc
import OrderedCollections
import Runtimes
import YAML

/// What the workspace of a project is brought up with. Everything that can be wrong is found here, before anything is made.
struct LastingPlan: Sendable {
    let project: Project
    let definition: WorkspaceDefinition
    let recipe: ImageRecipe
    let user: PodUser
    /// What a user should know, and that keeps nothing from coming up.
    private(set) var notes: [String] = []
    /// The databases and the project's services beside it.
    private let databases: Companions
    private let projectServices: ProjectServices
    private let agent: AgentDeclaration
    private let credentials: [Credential]
    private let context: WorkspaceContext
    private let passed: [String: String]

    init(_ project: Project, _ context: WorkspaceContext) throws {
        try Self.refuse(project, context)
        let runtime = try context.settingsStore.load().runtime
        guard runtime.mountsHost else {
            throw WorkspaceError(
                .unavailable,
                "a lasting workspace has the project's directory itself, which \(runtime.name) does not have",
                hint: "so session works on a clone there; for podman on this host: so settings unset deploy-to")
        }
        var loaded = try context.load(project)
        let warnings = try loaded.check(runtime)
        if geteuid() != 0 {
            // Without root, root of the pod is the user outside of it: podman-run(1), --userns.
            loaded.definition.user = PodUser(user: 0, group: 0)
        }
        self.project = project
        definition = loaded.definition
        user = try definition.podUser(of: project, isLasting: true)
        recipe = try loaded.recipe(agent: try context.agentLayer(definition.agent), isLasting: true)
        agent = try context.agent(definition.agent)
        self.context = context
        passed = try context.passed(definition)
        databases = Companions(definition, settings: try context.settingsStore.load(), networks: [])
        projectServices = try ProjectServices(definition.compose, of: project, isInPlace: true)
        let (found, problem) = try Self.credentials(agent, context)
        credentials = found
        notes = warnings.map(\.description) + (problem.map { ["warning: \($0)"] } ?? [])
    }

    /// A shell is good without a model, too.
    private static func credentials(
        _ agent: AgentDeclaration, _ context: WorkspaceContext
    ) throws(WorkspaceError) -> ([Credential], WorkspaceError?) {
        do {
            return (try context.credentials.credentials(of: agent), nil)
        } catch {
            guard error.code == .unavailable else { throw error }
            return ([], error)
        }
    }

    /// Whoever writes to a home directory or to all of the disk is the user.
    private static func refuse(_ project: Project, _ context: WorkspaceContext) throws(WorkspaceError) {
        let home = context.environment["HOME"].map(Files.canonical)
        guard project.path != "/", project.path != home else {
            throw WorkspaceError(
                .notPermitted, "\(project.path) is not a project: its workspace could change everything that is yours",
                hint: "go to a project's own directory")
        }
    }

    /// Of everything that the pod depends on.
    var digest: String {
        let companions = projectServices.services.map { "\($0.key) \($0.value.json())" }.joined(separator: "\n")
        return "\(recipe.tag) \(definition.digest)" + (companions.isEmpty ? "" : " \(shortDigest(companions))")
    }

    /// The services beside the agent's.
    var services: [String] {
        ([StackPart.egressService] + databases.services.keys + projectServices.services.keys).sorted()
    }

    var hostServices: [HostService] { databases.hostServices }

    func record(keepsRunning: Bool, createdAt: Date) -> LastingRecord {
        LastingRecord(
            project: project.path, projectName: project.name, state: .starting, image: recipe.tag, definition: digest,
            agent: definition.agent, user: user, keepsRunning: keepsRunning, createdAt: createdAt)
    }

    /// The workspace's egress and companions; `building` is told the tag of each image that has to be built.
    private func part(_ record: LastingRecord, remote: String?, building: (String) -> Void) async throws -> StackPart {
        guard let addresses = record.addresses, let token = record.token else { return StackPart() }
        let network = SessionNetwork.fixed(addresses)
        let companions = CompanionPart(databases: databases, services: projectServices, network: network)
        let part = try companions.part()
        if !projectServices.builds.isEmpty {
            try await context.provide(projectServices.builds, of: project, definition, building: building)
        }
        var policy = EgressPolicy(definition, agent, remote: remote, environment: context.environment)
        policy.hosts = companions.hosts
        policy.forwards = part.hostServices.map {
            .init(port: $0.port, host: addresses.gateway, hostPort: $0.port)
        }
        return part.merging(
            try await context.egressPart(
                SessionEgress(session: record.name, address: addresses.egress, policy: policy, token: token),
                in: network, SessionRuntime(), agent, credentials, remote: remote, ports: record.ports ?? [:],
                name: project.name,
                building: building))
    }

    func stack(
        _ record: LastingRecord, _ stateDirectory: String, _ identity: GitIdentity?, keeper: String, remote: String?,
        building: (String) -> Void
    ) async throws -> WorkspaceStack {
        var stack = WorkspaceStack(
            name: record.name, owner: "the workspace of \(project.path)", stateDirectory: stateDirectory,
            image: recipe.tag, user: user)
        stack.keeper = keeper
        stack.project = project.path
        stack.resources = definition.resources
        stack.runtimeClass = definition.runtimeClass
        stack.runsContainers = definition.runsContainers
        stack.environment = definition.environment
        stack.passed = passed
        stack.addresses = record.addresses
        stack.part = try await part(record, remote: remote, building: building)
        let run = agent.run(
            prompt: nil, arguments: [], session: record.name, workTree: project.path, token: record.token ?? record.name
        )
        let script = LastingScript(
            files: run.files, project: project.path, setup: definition.setup, gate: stack.part.gate,
            watch: PodWatch(idleSeconds: definition.idleTimeout, gate: stack.part.gate))
        stack.scripts = script.scripts
        for role in ["AUTHOR", "COMMITTER"] {
            stack.part.agentEnvironment["GIT_\(role)_NAME"] = identity?.name
            stack.part.agentEnvironment["GIT_\(role)_EMAIL"] = identity?.email
        }
        for (name, value) in run.environment { stack.part.agentEnvironment[name] = value }
        if let zone = context.timeZone { stack.part.agentEnvironment["TZ"] = stack.part.agentEnvironment["TZ"] ?? zone }
        return stack
    }
}
