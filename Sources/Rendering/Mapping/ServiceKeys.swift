extension KeyMapping {
    /// Keys of a service about its process, image, life and security.
    static let service: [KeyMapping] = [
        row("annotations", .mapped("annotations of the pod")),
        row(
            "attach",
            .reported("it only chooses whose output `docker compose up` shows; `so deployment logs` shows all")),
        row("cap_add", .mapped("securityContext.capabilities.add")),
        row("cap_drop", .mapped("securityContext.capabilities.drop")),
        row("command", .mapped("args; a literal $(X) is escaped")),
        row("container_name", .mapped("one more Service of that name")),
        row("depends_on", .mapped("the order in which workloads start, and an annotation")),
        row("depends_on.*.restart", .mapped("the dependent is restarted with what it depends on")),
        row("develop", .reported("it serves `docker compose watch` only; nothing is watched")),
        row("entrypoint", .mapped("command; a literal $(X) is escaped")),
        row("env_file", .loaded("its lines are in the environment")),
        row("environment", .mapped("env; what a secret flows into is in the Secret <service>-env")),
        row("extends", .loaded("the other service is merged in")),
        row(
            "healthcheck", .mapped("readinessProbe: a service that is not healthy gets no traffic and is never killed")),
        row(
            "healthcheck.start_interval",
            .mapped("podman asks often anyway; in a cluster the check runs every `interval`, which is reported")),
        row(
            "healthcheck.start_period",
            .mapped("how long a start may take: failures in it are not counted by who waits")),
        row("image", .mapped("the container's image")),
        row("init", .mapped("shareProcessNamespace: the pod's pause process reaps zombies")),
        row("isolation", .reported("the container runs with the node's own isolation")),
        row("label_file", .loaded("its lines are among the labels")),
        row(
            "labels",
            .mapped(
                "annotations of the pod, since values need not be label-safe; `laconic.init-container: \"true\"` makes an init container"
            )),
        row("logging", .reported("the cluster decides where logs go; driver and options have no effect")),
        row(
            "models",
            .refused(
                reason: "no runtime here serves models",
                hint: "run the model as a service and write its address into environment")
        ),
        row("platform", .mapped("nodeSelector kubernetes.io/os and kubernetes.io/arch")),
        row("post_start", .mapped("lifecycle.postStart")),
        row("post_start.[].user", .reported("the hook runs as the container's user")),
        row("post_start.[].privileged", .reported("the hook runs with the container's privileges")),
        row("pre_start", .mapped("init containers, in order")),
        row("pre_stop", .mapped("lifecycle.preStop")),
        row("pre_stop.[].user", .reported("the hook runs as the container's user")),
        row("pre_stop.[].privileged", .reported("the hook runs with the container's privileges")),
        row("privileged", .mapped("securityContext.privileged")),
        row("profiles", .loaded("a service whose profile is not active is left out")),
        row(
            "provider",
            .refused(
                reason: "a provider is run by docker compose itself",
                hint: "deploy what it provides and write its address into environment"
            )),
        row("pull_policy", .mapped("imagePullPolicy")),
        row("pull_refresh_after", .reported("an image is pulled by imagePullPolicy alone, never after a time")),
        row("read_only", .mapped("securityContext.readOnlyRootFilesystem")),
        row(
            "restart",
            .mapped(
                "always, unless-stopped → Deployment; no → Job; on-failure:n → Job with backoffLimit n; "
                    + "without it a Deployment, on podman one that is not restarted")),
        row("runtime", .mapped("runtimeClassName")),
        row("scale", .mapped("replicas")),
        row(
            "security_opt",
            .mapped("allowPrivilegeEscalation, seccompProfile, appArmorProfile, seLinuxOptions; podman: systempaths")),
        row("stdin_open", .mapped("stdin")),
        row("stop_grace_period", .mapped("terminationGracePeriodSeconds; 10 s where it is absent, as compose has it")),
        row("stop_signal", .mapped("a preStop hook that sends the signal to process 1 (podman: its stop signal)")),
        row("tty", .mapped("tty")),
        row("use_api_socket", .refused(reason: "no docker engine to talk to", hint: "remove the key")),
        row(
            "user",
            .mapped(
                "runAsUser and runAsGroup; a name has the number that the image says, if this host has the image, else it is an error"
            )),
        row("group_add", .mapped("supplementalGroups of the pod; a name is an error")),
        row("userns_mode", .mapped("host → hostUsers")),
        row("working_dir", .mapped("workingDir")),
        row("credential_spec", .refused(reason: "it is for Windows containers, which no runtime here runs")),
        row("x-*", .ignored("an extension: free for the author")),
    ]

    static let build: [KeyMapping] = [
        row(
            "build", .loaded("the image is built before the deployment starts; `image` or <project>-<service> names it")
        ),
        row("build.cache_to", .reported("what the build caches stays on this host")),
        row("build.entitlements", .reported("the build gets no further rights")),
        row("build.isolation", .reported("the image is built with podman's own isolation")),
        row("build.no_cache_filter", .reported("no stage is left out of the cache: write `no_cache: true`")),
        row("build.platforms", .loaded("the first one; others are reported")),
        row("build.privileged", .reported("the build gets no further rights")),
        row("build.provenance", .reported("no attestation is made")),
        row("build.sbom", .reported("no attestation is made")),
        row(
            "build.secrets.[].gid",
            .reported("the secret is root's in the build: say it in the Containerfile, `RUN --mount=type=secret,gid=…`")
        ),
        row(
            "build.secrets.[].mode",
            .reported(
                "the secret has mode 0400 in the build: say it in the Containerfile, `RUN --mount=type=secret,mode=…`")
        ),
        row(
            "build.secrets.[].uid",
            .reported("the secret is root's in the build: say it in the Containerfile, `RUN --mount=type=secret,uid=…`")
        ),
    ]

    static let resourceLimits: [KeyMapping] = [
        row("blkio_config", .reported("block I/O is not throttled")),
        row("cgroup", .reported("the container has the cgroup namespace of its runtime")),
        row("cgroup_parent", .reported("the kubelet chooses the parent cgroup")),
        row("cpu_count", .reported("CPUs are limited by cpus only")),
        row("cpu_percent", .reported("CPUs are limited by cpus only")),
        row("cpu_period", .mapped("with cpu_quota: limits.cpu")),
        row("cpu_quota", .mapped("with cpu_period: limits.cpu")),
        row("cpu_rt_period", .reported("no real-time scheduling")),
        row("cpu_rt_runtime", .reported("no real-time scheduling")),
        row("cpu_shares", .mapped("requests.cpu, 1024 shares being one CPU")),
        row("cpus", .mapped("limits.cpu")),
        row("cpuset", .reported("the container may run on any CPU")),
        row("device_cgroup_rules", .reported("the rules are not set; devices that need them need `privileged: true`")),
        row("devices", .mapped("a hostPath of the device")),
        row(
            "gpus", .mapped("limits nvidia.com/gpu (amd.com/gpu); on podman devices of the Container Device Interface")),
        row("mem_limit", .mapped("limits.memory")),
        row("mem_reservation", .mapped("requests.memory")),
        row("mem_swappiness", .reported("swapping is the node's decision")),
        row("memswap_limit", .reported("swapping is the node's decision")),
        row("oom_kill_disable", .reported("a container over its memory limit is killed")),
        row("oom_score_adj", .reported("the kubelet sets it from requests and limits")),
        row("pids_limit", .reported("the kubelet limits processes per pod for the whole node")),
        row("storage_opt", .mapped("size: limits.ephemeral-storage")),
        row("ulimits", .reported("the container has the limits of the node's runtime")),
    ]

    /// A row about a key of a service.
    static func row(_ key: String, _ outcome: Outcome) -> KeyMapping {
        KeyMapping(place: .service, key: key, outcome: outcome)
    }
}
