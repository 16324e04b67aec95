package import Runtimes

/// Which container's end is the end of all, as `docker compose up` has it, and whose exit code counts then.
package struct AbortCondition: Sendable {
    package enum Trigger: Sendable {
        /// Any container has ended.
        case exit
        /// Any container has failed.
        case failure
        /// A container of this service has ended.
        case exitOf(String)
    }

    package var trigger: Trigger
    /// The service whose exit code counts; nil: that of the one that has ended.
    package var exitCodeFrom: String?

    package init(_ trigger: Trigger, exitCodeFrom: String? = nil) {
        self.trigger = trigger
        self.exitCodeFrom = exitCodeFrom
    }
}

extension DeploymentHandle {
    /// Follows each service's logs until one has ended as the condition says, and all that it wrote was handed out.
    ///
    /// - Parameters:
    ///   - services: empty: all.
    ///   - follow: hands out the lines of a request, and returns when nothing of it runs any more.
    /// - Returns: the service whose end it was; nil where all ended and none as the condition says.
    package func firstEnd(
        _ condition: AbortCondition, of services: [String], since: String,
        follow: @escaping @Sendable (LogRequest) async throws -> Void
    ) async throws -> String? {
        try await withThrowingTaskGroup(of: String.self) { group in
            for name in try enduring(services) {
                let request = LogRequest(services: [name], follow: true, since: since)
                group.addTask {
                    try await follow(request)
                    return name
                }
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if try await meets(condition, ended) { return ended }
            }
            return nil
        }
    }

    private func meets(_ condition: AbortCondition, _ ended: String) async throws(DeploymentError) -> Bool {
        switch condition.trigger {
        case .exit: true
        case .exitOf(let service): service == ended
        case .failure: try await exitCode(of: ended) ?? 0 != 0
        }
    }

    /// The exit code that all ends with after a service's end.
    package func exitCode(_ condition: AbortCondition, ended: String?) async throws(DeploymentError) -> Int {
        try await exitCode(of: condition.exitCodeFrom ?? ended) ?? 0
    }

    /// The exit code that all ends with where a container ended before the others were ready; nil where it did not: the start has
    /// failed for another reason.
    package func exitCode(
        _ condition: AbortCondition, after failure: DeploymentError
    ) async throws(DeploymentError) -> Int? {
        let code = try await exitCode(of: condition.exitCodeFrom ?? failure.failures.first?.service)
        return code == 0 ? 1 : code
    }
}
