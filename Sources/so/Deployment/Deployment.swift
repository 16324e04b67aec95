import ArgumentParser

/// `so deployment …`: the verbs on one deployment directory.
struct Deployment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deployment", abstract: "Run, watch and stop a deployment.",
        discussion: "Every verb takes --dir, the directory that `so deploy create` made.",
        subcommands: [
            DeploymentStart.self, DeploymentStop.self, DeploymentRestart.self, DeploymentUpdateEnvs.self,
            DeploymentPlan.self, DeploymentPs.self,
            DeploymentStatus.self, DeploymentLogs.self, DeploymentExec.self, DeploymentCopy.self,
            DeploymentPort.self, DeploymentPortForward.self,
            DeploymentConfig.self, DeploymentSecrets.self, DeploymentRunJob.self, DeploymentPushImages.self,
        ])
}
