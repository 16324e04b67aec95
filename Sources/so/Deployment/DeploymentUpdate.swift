import ArgumentParser

/// `so deployment update`.
struct DeploymentUpdate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Pull the stack's source, and apply its changes.",
        discussion: """
            The steps of GitOps: the clone that the stack came from is brought forward at its branch (one that is at a tag or \
            commit stays there; only fast-forwards), and with it the repositories of its pods; the spec is read, from \
            --spec-file, else deployment/spec.yml of the repository, else the deployment's own; the deployment directory is \
            updated as `so deploy create --update` does; the plan is shown, and applied. What did not change keeps running. \
            Volumes, secrets and the namespace stay.

            Host names that are new in http-proxy are looked up, and a wrong one is warned of. With the spec's \
            maintenance-service, all routes lead there while pods are replaced, and always lead back. Where the source has \
            vanished, the deployment is started as it is.
            """,
        aliases: ["pull"])

    @OptionGroup var source: SourceUpdateOptions

    func run() async throws { try await source.run(replacesAll: false, graceSeconds: nil) }
}
