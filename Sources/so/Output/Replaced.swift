/// Verbs and options of docker compose and of stack-orchestrator that are not there, with what takes their place:
/// docs/coming-from-stack-orchestrator.md.
enum Replaced {
    private static let auction =
        "script `so deploy-webapp create` and `so deployment`: so does not support auctions and registries"

    private static let verbs = [
        "update": "install a newer so: scripts/install",
        "build-npms": "build packages in the image that uses them: so build-containers",
        "build-webapp": "build an image, by podman or so build-containers; then: so deploy-webapp create --image NAME",
        "run-webapp": "so deploy-webapp create --image NAME …, then: so deployment start",
        "deploy-webapp-from-registry": auction, "undeploy-webapp-from-registry": auction,
        "publish-deployer-to-registry": auction, "publish-deployment-auction": auction,
        "handle-deployment-auction": auction, "request-webapp-deployment": auction,
        "request-webapp-undeployment": auction, "deploy-system": "so deploy", "k8s": "so cluster status",
        "top": "so exec SERVICE ps, or podman pod top", "stats": "podman stats", "images": "so config --images",
        "cp": "so deployment cp", "attach": "so logs --follow, or so exec SERVICE sh",
        "build": "so up --build, which builds and starts", "pull": "so up --pull always", "kill": "so stop -t 0",
        "rm": "so down", "create": "so up -d, which creates and starts; so --dry-run up shows what it would do",
        "convert": "so config", "wait": "so up --exit-code-from SERVICE", "scale": "so up -d --scale SERVICE=NUMBER",
        "events": "so logs --follow, or podman events",
        "watch": "mount the folder into the service, or run so up -d again",
        "pause": "so stop", "unpause": "so start", "ls": "podman pod ps",
        "push": "so build-containers --publish-images", "volumes": "so config --volumes, or podman volume ls",
    ]

    private static let options = [
        "--local-stack": "name the stack by its path: --stack ./stacks/NAME",
        "--continue-on-error": "leave it out: builds and fetches always continue, and list what failed",
        "--config-file": "write its values into the spec's `config:`, or into the deployment's config.env",
        "--helm-release": "a chart's release is Helm's: helm test, or kubectl create job",
        "--detatch-terminal": "leave it out: that is the default",
    ]

    /// What takes the place of a verb directly behind `so`.
    static func hint(verb: String) -> String? { verbs[verb] }

    /// What takes the place of an option.
    static func hint(option: String) -> String? { options[option] }
}
