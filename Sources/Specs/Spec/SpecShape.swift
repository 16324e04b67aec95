import YAML

extension Shape {
    /// The keys of spec.yml.
    static let spec = Shape.fields([
        Field("stack", .checked(.nonEmpty), required: true, "the stack's name or path"),
        Field("deploy-to", .checked(.target), required: true, "where it runs: k8s-kind, k8s or podman"),
        Field("namespace", .checked(.label), "the namespace; so-<stack> by default"),
        Field(
            "config", .mapping(.variable, .nullable(.text)),
            "values for interpolation and of equally named environment keys"),
        Field(
            "config-scope", .checked(.oneOf(ConfigScope.allCases.map(\.rawValue))),
            "which services a config variable reaches"),
        Field("env-from-host", .list(.checked(.variable)), "variables that are read from the operator's environment"),
        Field("credentials-files", .list(.checked(.nonEmpty)), "env files whose variables are secret"),
        Field(
            "allowed-paths", .list(.checked(.nonEmpty)),
            "files and directories outside of the stack that its compose files may read"),
        Field("overrides", .any, "a compose fragment, merged over the stack's compose files"),
        Field("network", network, "ports, routes and certificates"),
        Field(
            "volumes", .mapping(.name, .nullable(.checked(.nonEmpty))),
            "a directory for each volume; empty: a volume of the runtime's own"),
        Field("configmaps", .mapping(.name, .checked(.nonEmpty)), "a directory for each volume that is a ConfigMap"),
        Field(
            "secrets", .mapping(.name, .nullable(.list(.checked(.nonEmpty)))),
            "Secrets that exist already, with their keys"),
        Field("resources", resources, "requests and limits of containers, sizes of volumes"),
        Field("security", security, "privileges of every pod"),
        Field("annotations", .mapping(.nonEmpty, .text), "annotations of every pod"),
        Field("labels", .mapping(.nonEmpty, .text), "labels of every pod"),
        Field(
            "replicas", .scalarOr(.integer(0...10_000), .mapping(.name, .integer(0...10_000))),
            "how many pods every service has, or each by its name"),
        Field("node-affinities", .list(pair("label", "a node's label")), "labels of the nodes to use"),
        Field("node-tolerations", .list(pair("key", "a taint's key")), "taints of nodes to tolerate"),
        Field("kube-config", .checked(.nonEmpty), "the kubeconfig of the cluster"),
        Field("image-registry", .checked(.nonEmpty), "the registry that local images are pushed to and pulled from"),
        Field("image-pull-secret", imagePullSecret, "the registry's login"),
        Field(
            "image-pull-policy", .checked(.oneOf(ImagePullPolicy.allCases.map(\.rawValue))), "when images are pulled"),
        Field("image-overrides", .mapping(.name, .checked(.nonEmpty)), "an image for each service"),
        Field("kind-cluster-name", .checked(.label), "the kind cluster to use"),
        Field(
            "kind-node-image", .checked(.nonEmpty), "the image of kind's node, which chooses the version of Kubernetes"),
        Field("kind-mount-root", .checked(.absolutePath), "the directory of the host that is /mnt in kind's node"),
        Field("caddy-ingress-image", .checked(.nonEmpty), "the image of the ingress controller"),
        Field("maintenance-service", .checked(.servicePort), "who answers during a restart"),
        Field("external-services", .mapping(.name, externalService), "names that lead out of the deployment"),
        Field("ca-certificates", .list(.checked(.nonEmpty)), "certificates that every container trusts"),
    ])

    private static let network = Shape.fields([
        Field("ports", .mapping(.name, .nullable(.any)), "the ports that replace a service's own"),
        Field(
            "http-proxy",
            .list(
                .fields([
                    Field("host-name", .checked(.hostName), required: true, "the host's name"),
                    Field("routes", .list(route), required: true, "the paths and who answers them"),
                ])), "routes by host name"),
        Field("acme-email", .text, "the address for certificates"),
        Field("isolate", .bool, "whether services that share no compose network are kept apart"),
        Field("disable-dns", .list(.checked(.nonEmpty)), "compose networks without a name server of their own"),
    ])

    private static let route = Shape.fields([
        Field("path", .checked(.urlPath), required: true, "the path, beginning with '/'"),
        Field("proxy-to", .checked(.servicePort), required: true, "the service and its port, such as web:8080"),
    ])

    private static let resources = Shape.fields([
        Field("containers", .fields(containerResources, others: .fields(containerResources)), "requests and limits"),
        Field("volumes", .fields(volumeResources, others: .fields(volumeResources)), "sizes"),
    ])

    private static let containerResources = [
        Field("reservations", amounts, "what a container is sure of"),
        Field("limits", amounts, "what a container may use"),
    ]

    private static let amounts = Shape.fields([
        Field("cpus", .checked(.cpus), "CPUs, such as 0.5"),
        Field("memory", .checked(.bytes), "memory, such as 512M"),
    ])

    private static let volumeResources = [
        Field(
            "reservations", .fields([Field("storage", .checked(.bytes), "a size, such as 5Gi")]),
            "what a volume is sure of")
    ]

    private static let security = Shape.fields([
        Field("privileged", .bool, "whether containers have every privilege"),
        Field("capabilities", .list(.checked(.nonEmpty)), "capabilities to add"),
        Field("unlimited-memlock", .bool, "whether containers may lock any amount of memory"),
        Field("runtime-class", .checked(.label), "the RuntimeClass of every pod"),
        Field("service-account-token", .bool, "whether pods are given a token for the cluster's API"),
        Field(
            "service-accounts", .mapping(.name, .checked(.label)),
            "the ServiceAccount of a service's pods, whose token they are given"),
        Field("privilege-escalation", .bool, "whether programs may gain privileges: setuid, such as sudo"),
        Field(
            "seccomp", .checked(.oneOf(SeccompProfile.allCases.map(\.rawValue))), "the system calls that are allowed"),
    ])

    private static let imagePullSecret = Shape.fields([
        Field("server", .checked(.nonEmpty), required: true, "the registry's host"),
        Field("username", .checked(.nonEmpty), required: true, "the user's name"),
        Field("token-env", .checked(.variable), "the variable that holds the token"),
        Field("token-file", .checked(.nonEmpty), "the file that holds the token"),
    ])

    private static let externalService = Shape.fields([
        Field("host", .checked(.hostName), "a DNS name"),
        Field("ip", .checked(.address), "an address"),
        Field("selector", .mapping(.nonEmpty, .text), "labels of the pods that answer"),
        Field("namespace", .checked(.label), "the namespace of those pods"),
        Field("port", .integer(1...65535), "the port; 443 by default"),
    ])

    private static func pair(_ first: String, _ summary: String) -> Shape {
        .fields([
            Field(first, .checked(.nonEmpty), required: true, summary),
            Field("value", .text, required: true, "its value"),
        ])
    }
}

extension TextRule {
    /// `compose` is stack-orchestrator's name for what podman does here.
    static let target = oneOf(DeploymentTarget.allCases.map(\.rawValue) + ["compose"])
}
