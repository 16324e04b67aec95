import Specs
package import Workspaces
package import YAML

extension Configuration {
    /// What keeps agent profiles from ever working, each at its place.
    package func agentFaults(_ context: WorkspaceContext) -> [Diagnostic] {
        var diagnostics = Diagnostics()
        for (name, profile) in agents.sorted(by: { $0.key < $1.key }) {
            checkPrograms(name, profile, context, &diagnostics)
            checkLimits(name, profile, &diagnostics)
        }
        return diagnostics.list
    }

    private func checkPrograms(
        _ name: String, _ profile: AgentProfile, _ context: WorkspaceContext, _ diagnostics: inout Diagnostics
    ) {
        do {
            _ = try context.agent(profile.cli)
        } catch {
            diagnostics.error(
                "agents.\(name).cli: \(error.message)", at: places["agents.\(name).cli"],
                hint: error.hint ?? "so agents list")
        }
        guard let template = profile.template else { return }
        do {
            _ = try context.templates(of: nil).template(template, workingDirectory: "/")
        } catch let error as WorkspaceError {
            diagnostics.error(
                "agents.\(name).template: \(error.message)", at: places["agents.\(name).template"], hint: error.hint)
        } catch {
            diagnostics.error("agents.\(name).template: \(error)", at: places["agents.\(name).template"])
        }
    }

    /// Less than these, and no coding CLI so much as starts.
    private static let leastMemory: Int64 = 256 << 20
    private static let leastDisk: Int64 = 512 << 20
    private static let leastThousandths: Int64 = 100
    private static let leastTime = 60

    private func checkLimits(_ name: String, _ profile: AgentProfile, _ diagnostics: inout Diagnostics) {
        func tell(_ key: String, _ least: String) {
            diagnostics.error(
                "agents.\(name).\(key): no agent can work with so little", at: places["agents.\(name).\(key)"],
                hint: "write \(least) or more")
        }
        if let memory = profile.memory, memory.wholes < Self.leastMemory { tell("limits.memory", "256Mi") }
        if let disk = profile.disk, disk.wholes < Self.leastDisk { tell("limits.disk", "512Mi") }
        if let cpus = profile.cpus, cpus.thousandths < Self.leastThousandths { tell("limits.cpus", "0.1") }
        if profile.timeout < Self.leastTime { tell("timeout", "1m") }
        if let budget = profile.budget, budget < 0.01 { tell("budget-usd", "0.01") }
    }

    /// Agents whose tasks would wait for a credential: none of those that their coding CLI can log in with is there.
    func missingCredentials(_ context: WorkspaceContext, names: [String]) -> [Diagnostic] {
        var own = context
        for name in names { own.secrets[name] = "set" }
        return agents.sorted { $0.key < $1.key }.compactMap { missingCredential($0, $1, own) }
    }

    private func missingCredential(_ name: String, _ profile: AgentProfile, _ context: WorkspaceContext) -> Diagnostic?
    {
        // One that is not declared is told of itself.
        guard let agent = try? context.agent(profile.cli) else { return nil }
        do {
            _ = try context.credentials.credentials(of: agent)
            return nil
        } catch {
            return Diagnostic(
                .error, at: places["agents.\(name).cli"], "agents.\(name): \(error.message)",
                hint: "so credentials set \(agent.authentication.first?.variable ?? "NAME")")
        }
    }
}
