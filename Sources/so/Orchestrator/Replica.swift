import Deployments
import Glibc
import Orchestrator
import Runtimes
import Workspaces
import YAML

/// A server of this host, put together.
struct Replica {
    var service: OrchestratorService
    /// Where it was made now.
    var newToken: String?
}

extension Host {
    static func replica(_ configuration: Configuration) async throws -> Replica {
        try refuse(configuration)
        try Files.makeDirectory(configuration.stateDirectory, mode: 0o700)
        let store = try await configuration.openStore()
        let token = try await OrchestratorServer.makeAdministrator(store, configuration)
        let forge = try configuration.openForge()
        let credentials = try await configuration.openCredentials(environment: environment)
        let parts = ServerParts(
            configuration: configuration, store: store, forge: forge, credentials: credentials,
            runner: try runner(configuration, forge, credentials), host: hostName
        ) { Terminal.note($0) }
        let owner = "\(hostName)-\(getpid())-\(UInt16.random(in: 0...UInt16.max))"
        return Replica(service: OrchestratorService(parts, owner: owner), newToken: token)
    }

    /// What could never work is told before anything begins, where this replica runs agents.
    private static func refuse(_ configuration: Configuration) throws {
        guard configuration.runtime != "none" else { return }
        var diagnostics = Diagnostics()
        diagnostics.append(contentsOf: configuration.agentFaults(try workspaces().forAgentsOfOthers))
        try diagnostics.throwIfErrors()
    }

    /// Runs agents in sessions of this user, with the credentials of the orchestrator's backend.
    private static func runner(
        _ configuration: Configuration, _ forge: any Forge, _ credentials: any CredentialBackend
    ) throws -> SessionAgentRunner {
        let context = try workspaces().forAgentsOfOthers
        var host = deployments.host
        host.environment = context.environment
        let deployments = DeploymentService(host)
        return SessionAgentRunner(configuration, forge: forge, host: context.environment) { profile in
            var own = context
            for name in try await credentials.names() {
                guard let value = try await credentials.value(of: name) else { continue }
                own.secrets[name] = String(decoding: value, as: UTF8.self)
            }
            return own.sessions(deployments, profile: profile, configuration: configuration)
        } declaration: { cli in
            try context.agent(cli)
        } log: {
            Terminal.note($0)
        }
    }

    static var hostName: String {
        var name = utsname()
        guard uname(&name) == 0 else { return "localhost" }
        return withUnsafeBytes(of: &name.nodename) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}
