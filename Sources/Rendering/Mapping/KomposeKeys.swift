extension KeyMapping {
    /// The labels by which kompose is told what compose has no key for.
    ///
    /// Rule: https://kompose.io/user-guide/#labels
    static let kompose: [KeyMapping] = [
        row("labels.kompose", .reported("so does not know this label of kompose: it is an annotation of the pod only")),
        row("labels.kompose.controller.port.expose", .reported("write `ports`: a port of the node is never taken")),
        row(
            "labels.kompose.controller.type",
            .mapped("deployment or daemonset; another kind is reported: it runs as a Deployment or Job")),
        row("labels.kompose.cronjob.backoff_limit", .mapped("backoffLimit of the CronJob's Jobs")),
        row("labels.kompose.cronjob.concurrency_policy", .mapped("concurrencyPolicy: Allow, Forbid or Replace")),
        row(
            "labels.kompose.cronjob.schedule",
            .mapped(
                "a CronJob, of a service that does not always run; on podman it is reported, and the service runs once")
        ),
        row("labels.kompose.hpa", .reported("replicas do not follow the load: write deploy.replicas")),
        row("labels.kompose.image-pull-policy", .mapped("imagePullPolicy; the spec's takes precedence")),
        row("labels.kompose.image-pull-secret", .mapped("imagePullSecrets; on podman it is reported")),
        row("labels.kompose.init.containers", .mapped("an init container; name and command count beside an image")),
        row(
            "labels.kompose.security-context.fsgroup",
            .reported("volumes keep their group: write `user` or `group_add`")),
        row(
            "labels.kompose.service.expose",
            .mapped(
                "an Ingress for each `host` or `host/path`, to the first port; `true` names no host and is reported")),
        row("labels.kompose.service.expose.ingress-class-name", .mapped("the class of that Ingress")),
        row(
            "labels.kompose.service.expose.tls-secret",
            .mapped("the Secret of its certificate, in clusters; on podman it is reported")),
        row(
            "labels.kompose.service.external-traffic-policy",
            .reported("traffic goes to all nodes, which is the cluster's default")),
        row("labels.kompose.service.group", .reported("write `colocate: true` for the pod in stack.yml")),
        row("labels.kompose.service.healthcheck", .reported("write `healthcheck`, which becomes the readiness probe")),
        row("labels.kompose.service.name_override", .reported("write an alias under `networks`, or container_name")),
        row("labels.kompose.service.nodeport.port", .mapped("the node's port of the one port that is published")),
        row(
            "labels.kompose.service.type",
            .mapped(
                "in clusters: clusterip publishes nothing, nodeport and loadbalancer publish every port, headless resolves to the pods"
            )),
        row("labels.kompose.serviceaccount-name", .reported("the pod has the namespace's default account")),
        row(
            "labels.kompose.volume.selector", .reported("claims are bound by name: write a path in the spec's volumes")),
        row("labels.kompose.volume.size", .mapped("the size of the service's claims; the spec's takes precedence")),
        row("labels.kompose.volume.storage-class-name", .mapped("storageClassName of the service's claims")),
        row(
            "labels.kompose.volume.subpath",
            .mapped("subPath of the service's claims, in clusters; on podman it is reported")),
        row("labels.kompose.volume.type", .reported("named volumes are claims, and read-only binds ConfigMaps")),
    ]
}
