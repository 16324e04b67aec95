package import Deployments

extension WorkspaceContext {
    /// The lasting workspaces of this user.
    package func workspaces(_ deployments: DeploymentService) -> LastingService { LastingService(self, deployments) }
}
