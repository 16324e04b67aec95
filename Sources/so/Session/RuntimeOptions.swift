import ArgumentParser
import Runtimes
import Specs
import Workspaces

/// Where a new session runs.
struct RuntimeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Where it runs: podman, k8s-kind or k8s (default: that of so settings).", valueName: "runtime"))
    var deployTo: DeployInit.Target?

    @Option(help: ArgumentHelp("The kubeconfig of the cluster (k8s).", valueName: "file"))
    var kubeConfig: String?

    @Option(
        help: ArgumentHelp("Where the cluster's nodes get images that are built here (k8s).", valueName: "registry"))
    var imageRegistry: String?

    func validate() throws {
        guard deployTo != nil || kubeConfig == nil && imageRegistry == nil || deployTo == .kubernetes else {
            let flag = kubeConfig == nil ? "--image-registry" : "--kube-config"
            throw ValidationError("\(flag) goes with --deploy-to k8s")
        }
    }

    /// Nil where nothing was said.
    var runtime: SessionRuntime? {
        get throws {
            guard deployTo != nil || kubeConfig != nil || imageRegistry != nil else { return nil }
            let settings = try Host.workspaces().settingsStore.load().runtime
            let target = deployTo?.target ?? .kubernetes
            return SessionRuntime(
                target, kubeconfig: kubeConfig.map(Files.absolute) ?? settings.kubeconfig,
                imageRegistry: imageRegistry ?? settings.imageRegistry)
        }
    }
}
