import Rendering
import Runtimes
import Specs

extension DeploymentHandle {
    /// A start in two phases: the maintenance service, then the others while every route leads to it.
    ///
    /// - Parameter whole: what both come to, as it is printed.
    func planBehind(_ maintenance: RouteTarget, _ whole: StartPlan) async throws(DeploymentError) -> StartPlan {
        var first = whole.options
        first.services = [maintenance.service]
        first.spared.formUnion(model.rendered.workloads.flatMap(\.services).filter { $0 != maintenance.service })
        // It is replaced itself as long as the others answer, and stays then.
        var others = whole.options
        others.spared.insert(maintenance.service)
        var routed = model
        routed.rendered = model.rendered.routed(to: maintenance)
        let phases = MaintenancePhases(
            handle: self, routed: routed, first: try await runtime.plan(model, options: first),
            second: try await runtime.plan(routed, options: others))
        return StartPlan(whole.summary, whole.options) { (events) async throws(DeploymentError) in
            var result = try await phases.execute(events)
            result.plan = whole.summary
            return result
        }
    }
}

/// Both phases of a start behind a maintenance service, decided.
private struct MaintenancePhases: Sendable {
    let handle: DeploymentHandle
    /// The deployment with every route leading to the maintenance service.
    let routed: DeploymentModel
    let first: StartPlan
    let second: StartPlan

    /// Makes sure of the maintenance service, leads every route to it, starts the others, and leads the routes back whatever happened.
    ///
    /// A restart that is killed in between is healed by the next start, which applies the deployment's own routes.
    func execute(_ events: @escaping EventHandler) async throws(DeploymentError) -> StartResult {
        let own = try await first.execute(events: events).routes
        var result: StartResult
        do {
            try await handle.runtime.applyRoutes(routed)
            result = try await others().execute(events: events)
        } catch {
            try await restoreRoutes(after: error)
            throw error
        }
        try await restoreRoutes(after: nil)
        result.routes = own
        return result
    }

    /// What the first phase has changed is observed again.
    private func others() async throws(DeploymentError) -> StartPlan {
        guard !first.isEmpty else { return second }
        return try await handle.runtime.plan(routed, options: second.options)
    }

    /// In a task of its own: a cancelled restart has to lead the routes back too.
    private func restoreRoutes(after failure: DeploymentError?) async throws(DeploymentError) {
        let (runtime, model) = (handle.runtime, handle.model)
        let outcome = await Task { () async -> DeploymentError? in
            do throws(DeploymentError) {
                try await runtime.applyRoutes(model)
                return nil
            } catch {
                return error
            }
        }.value
        guard let outcome else { return }
        throw DeploymentError(
            .failed, "the routes still point to the maintenance service",
            cause: [failure?.description, outcome.description].compactMap { $0 }.joined(separator: "\n"),
            hint: "restore them with `so deployment start`")
    }
}
