/// Options that clusters have no answer to: whoever gave one is told, for it would have no effect.
extension RunRequest {
    func refusePodmanOptions() throws(DeploymentError) {
        try refuse([
            ("--volume", !volumes.isEmpty), ("--publish", !ports.isEmpty), ("--label", !labels.isEmpty),
            ("--cap-add", !addedCapabilities.isEmpty), ("--cap-drop", !droppedCapabilities.isEmpty),
            ("--env-from-file", !fileVariables.isEmpty), ("--pull", pull != nil), ("--use-aliases", usesAliases),
        ])
    }
}

extension StartOptions {
    func refusePodmanOptions() throws(DeploymentError) {
        try refuse([
            ("--no-recreate", keepsChanged), ("--no-deps", leavesDependencies), ("--pull", pull != nil),
            ("--timeout", graceSeconds != nil),
            ("--renew-anon-volumes", renewsAnonymousVolumes),
        ])
    }
}

extension ExecRequest {
    /// The value of a name alone would stand among kubectl's arguments, where every process of this host reads it.
    func refuseNamesAlone() throws(DeploymentError) {
        guard let name = environment.first(where: { !$0.contains("=") }) else { return }
        throw DeploymentError(
            .unsupported, "--env \(name) without a value is for deployments on podman",
            hint:
                "kubectl cannot hide a value: put it into the service's environment in spec.yml, or write --env \(name)=…, which others on this host can read"
        )
    }
}

private func refuse(_ options: [(name: String, isGiven: Bool)]) throws(DeploymentError) {
    let given = options.filter(\.isGiven).map(\.name)
    guard !given.isEmpty else { return }
    throw DeploymentError(
        .unsupported,
        "only podman knows what \(given.joined(separator: ", ")) asks for, this deployment is a cluster's",
        hint: "leave it out; what the service's own settings say is in spec.yml, under `overrides`")
}
