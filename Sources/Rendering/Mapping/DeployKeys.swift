extension KeyMapping {
    /// Keys under a service's `deploy`.
    static let deploy: [KeyMapping] = [
        row("deploy", .mapped("by its keys")),
        row("deploy.endpoint_mode", .mapped("vip → a Service with an address; dnsrr → a headless one")),
        row("deploy.labels", .mapped("annotations of the Deployment")),
        row("deploy.mode", .mapped("global → DaemonSet; replicated-job and global-job → Job")),
        row("deploy.placement", .mapped("by its keys")),
        row("deploy.placement.constraints", .mapped("nodeAffinity")),
        row("deploy.placement.max_replicas_per_node", .reported("several replicas may run on one node")),
        row("deploy.placement.preferences", .mapped("topologySpreadConstraints")),
        row("deploy.replicas", .mapped("replicas")),
        row("deploy.resources", .mapped("by its keys")),
        row("deploy.resources.limits.cpus", .mapped("limits.cpu")),
        row("deploy.resources.limits.memory", .mapped("limits.memory")),
        row("deploy.resources.limits.pids", .reported("the kubelet limits processes per pod for the whole node")),
        row(
            "deploy.resources.limits.devices",
            .mapped("limits nvidia.com/gpu (amd.com/gpu); on podman devices of the Container Device Interface")),
        row("deploy.resources.limits.generic_resources", .reported("Kubernetes knows no generic resources")),
        row("deploy.resources.reservations.cpus", .mapped("requests.cpu")),
        row("deploy.resources.reservations.memory", .mapped("requests.memory")),
        row(
            "deploy.resources.reservations.devices",
            .mapped("limits nvidia.com/gpu (amd.com/gpu); on podman devices of the Container Device Interface")),
        row("deploy.resources.reservations.generic_resources", .reported("Kubernetes knows no generic resources")),
        row("deploy.resources.reservations.pids", .reported("the kubelet limits processes per pod for the whole node")),
        row("deploy.restart_policy", .mapped("by its keys, over `restart`")),
        row(
            "deploy.restart_policy.condition",
            .mapped("any → Deployment; none → Job; on-failure → Job with a backoffLimit")),
        row(
            "deploy.restart_policy.delay",
            .reported("Kubernetes chooses the delay between restarts: 10 s, doubled up to 5 min")),
        row("deploy.restart_policy.max_attempts", .mapped("backoffLimit of the Job")),
        row("deploy.restart_policy.window", .reported("Kubernetes counts restarts without a window")),
        row(
            "deploy.rollback_config",
            .reported("nothing is rolled back by itself; run the former revision of the stack again")),
        row("deploy.update_config", .mapped("by its keys")),
        row("deploy.update_config.delay", .mapped("minReadySeconds")),
        row("deploy.update_config.failure_action", .reported("an update that fails stops and is reported")),
        row(
            "deploy.update_config.max_failure_ratio",
            .reported("an update stops at the first pod that does not become ready")),
        row("deploy.update_config.monitor", .reported("a pod counts as failed when it does, whenever that is")),
        row("deploy.update_config.order", .mapped("stop-first → maxUnavailable; start-first → maxSurge")),
        row("deploy.update_config.parallelism", .mapped("maxUnavailable or maxSurge")),
    ]
}
