import ArgumentParser

/// `so deployment …`: the verbs on one deployment directory.
struct DeploymentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "deployment", abstract: "Run, watch and stop a deployment.",
        discussion:
            "Each is about the deployment directory that you are in, or the one of --dir or SO_DEPLOYMENT_DIR.",
        subcommands: [
            DeploymentStart.self, DeploymentStop.self, DeploymentRestart.self, DeploymentUpdate.self,
            DeploymentUpdateEnvs.self,
            DeploymentPlan.self, DeploymentPrepare.self, DeploymentPs.self,
            DeploymentStatus.self, DeploymentLogs.self, DeploymentExec.self, DeploymentCopy.self,
            DeploymentPort.self, DeploymentPortForward.self,
            DeploymentConfig.self, DeploymentSecrets.self, DeploymentRunJob.self, DeploymentPushImages.self,
        ])
}
