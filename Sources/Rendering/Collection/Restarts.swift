import Compose

extension RenderStage {
    /// How often a service that ends is started again; nil where it is started for ever or nothing was written.
    ///
    /// Rule: `deploy.restart_policy` goes before `restart`, as docker compose has it. `on-failure` without a limit, or with 0,
    /// tries for ever, which is the largest limit of a Job.
    func restartRetries(_ service: ComposeService) -> Int? {
        if let policy = service.deploy?.restartPolicy, let condition = policy.condition {
            switch condition {
            case "none": return 0
            case "on-failure": return limited(policy.maxAttempts)
            default: return nil
            }
        }
        switch service.restart {
        case .no: return 0
        case .onFailure(let limit): return limited(limit)
        case .always, .unlessStopped, nil: return nil
        }
    }

    private func limited(_ attempts: Int?) -> Int {
        guard let attempts, attempts > 0 else { return Int(Int32.max) }
        return min(attempts, Int(Int32.max))
    }
}
