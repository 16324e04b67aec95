extension ForgeGit {
    /// Brings all branches, and forgets those that are gone.
    func fetchBranches(_ url: String, of repository: String) async throws(OrchestratorError) {
        try await run(
            [
                "fetch", "--quiet", "--prune", "--no-tags", "--no-recurse-submodules", "--force", "--", url,
                "+refs/heads/*:refs/remotes/origin/*",
            ], to: "fetch \(repository)")
    }
}
