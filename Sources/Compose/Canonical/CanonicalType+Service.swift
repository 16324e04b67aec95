extension CanonicalType {
    private static let fileReference: CanonicalType = .object([
        ("source", .text), ("target", .text), ("uid", .text), ("gid", .text), ("mode", .mode),
    ])

    private static let hook: CanonicalType = .object(hookFields)

    private static let build: CanonicalType = .object([
        ("context", .text), ("dockerfile", .text), ("dockerfile_inline", .text), ("entitlements", .texts),
        ("args", .variables), ("provenance", .text), ("sbom", .text), ("ssh", .agents), ("labels", .textMap),
        ("cache_from", .texts), ("cache_to", .texts), ("no_cache", .flag), ("no_cache_filter", .texts),
        ("additional_contexts", .textMap), ("pull", .flag), ("extra_hosts", .hosts), ("isolation", .text),
        ("network", .text), ("target", .text), ("secrets", .list(fileReference)), ("shm_size", .bytes),
        ("tags", .texts), ("ulimits", .map(.ulimit)), ("platforms", .texts), ("privileged", .flag),
    ])

    private static let develop: CanonicalType = .object([
        (
            "watch",
            .list(
                .object([
                    ("path", .entry), ("action", .entry), ("target", .text),
                    ("exec", .fields(hookFields, ifEmpty: .keptInJSON)), ("include", .texts), ("ignore", .texts),
                    ("initial_sync", .flag),
                ]))
        )
    ])

    private static let hookFields: [(String, CanonicalType)] = [
        ("command", .command), ("image", .text), ("user", .text), ("privileged", .flag), ("working_dir", .text),
        ("environment", .variables), ("per_replica", .flag),
    ]

    private static let throttle: CanonicalType = .list(.object([("path", .entry), ("rate", .bytes)]))

    private static let blkio: CanonicalType = .object([
        ("weight", .integer), ("weight_device", .list(.object([("path", .entry), ("weight", .keptInteger)]))),
        ("device_read_bps", throttle), ("device_read_iops", throttle), ("device_write_bps", throttle),
        ("device_write_iops", throttle),
    ])

    private static let devices: CanonicalType = .list(
        .object([
            ("capabilities", .texts), ("driver", .text), ("count", .deviceCount), ("device_ids", .texts),
            ("options", .textMap),
        ]))

    private static let resources: CanonicalType = .object([
        ("cpus", .number), ("memory", .bytes), ("pids", .integer), ("devices", devices),
        (
            "generic_resources",
            .list(.object([("discrete_resource_spec", .object([("kind", .entry), ("value", .keptInteger)]))]))
        ),
    ])

    private static let update: CanonicalType = .object([
        ("parallelism", .keptInteger), ("delay", .duration), ("failure_action", .text), ("monitor", .duration),
        ("max_failure_ratio", .number), ("order", .text),
    ])

    private static let deploy: CanonicalType = .object([
        ("mode", .text), ("replicas", .keptInteger), ("labels", .textMap), ("update_config", update),
        ("rollback_config", update),
        ("resources", .fields([("limits", resources), ("reservations", resources)], ifEmpty: .keptInJSON)),
        (
            "restart_policy",
            .object([
                ("condition", .text), ("delay", .keptDuration), ("max_attempts", .keptInteger),
                ("window", .keptDuration),
            ])
        ),
        (
            "placement",
            .fields(
                [
                    ("constraints", .texts), ("preferences", .list(.object([("spread", .text)]))),
                    ("max_replicas_per_node", .integer),
                ], ifEmpty: .keptInJSON)
        ),
        ("endpoint_mode", .text),
    ])

    private static let healthcheck: CanonicalType = .object([
        ("test", .test), ("timeout", .keptDuration), ("interval", .keptDuration), ("retries", .keptInteger),
        ("start_period", .keptDuration), ("start_interval", .keptDuration), ("disable", .flag),
    ])

    private static let network: CanonicalType = .object([
        ("aliases", .texts), ("driver_opts", .textMap), ("gw_priority", .integer), ("interface_name", .text),
        ("ipv4_address", .text), ("ipv6_address", .text), ("link_local_ips", .texts), ("mac_address", .text),
        ("priority", .integer),
    ])

    private static let port: CanonicalType = .object([
        ("name", .text), ("mode", .text), ("host_ip", .text), ("target", .integer), ("published", .text),
        ("protocol", .text), ("app_protocol", .text),
    ])

    private static let mount: CanonicalType = .object([
        ("type", .text), ("source", .text), ("target", .text), ("read_only", .flag), ("consistency", .text),
        (
            "bind",
            .object([
                ("selinux", .text), ("propagation", .text), ("create_host_path", .keptFlag), ("recursive", .text),
            ])
        ),
        ("volume", .object([("labels", .textMap), ("nocopy", .flag), ("subpath", .text)])),
        ("tmpfs", .object([("size", .bytes), ("mode", .permissions)])),
        ("image", .object([("subpath", .text)])),
    ])

    private static let dependency: CanonicalType = .object([
        ("condition", .text), ("restart", .flag), ("required", .keptFlag),
    ])

    /// A service, its keys in the order of docker compose.
    static let service: CanonicalType = .object([
        ("profiles", .texts), ("annotations", .textMap), ("attach", .keptFlag), ("build", build),
        ("develop", develop), ("blkio_config", blkio), ("cap_add", .texts), ("cap_drop", .texts),
        ("cgroup_parent", .text), ("cgroup", .text), ("cpu_count", .integer), ("cpu_percent", .number),
        ("cpu_period", .integer), ("cpu_quota", .integer), ("cpu_rt_period", .integer), ("cpu_rt_runtime", .integer),
        ("cpus", .number), ("cpuset", .text), ("cpu_shares", .integer), ("command", .command),
        ("configs", .list(fileReference)), ("container_name", .text),
        ("credential_spec", .object([("config", .text), ("file", .text), ("registry", .text)])),
        ("depends_on", .map(dependency)), ("deploy", deploy), ("device_cgroup_rules", .texts),
        ("devices", .list(.object([("source", .text), ("target", .text), ("permissions", .text)]))),
        ("dns", .texts), ("dns_opt", .texts), ("dns_search", .texts), ("domainname", .text),
        ("entrypoint", .command), ("provider", .object([("type", .text), ("options", .verbatim)])),
        ("environment", .variables), ("env_file", .verbatim), ("expose", .texts), ("external_links", .texts),
        ("extra_hosts", .hosts), ("group_add", .texts), ("gpus", devices), ("hostname", .text),
        ("healthcheck", healthcheck), ("image", .text), ("init", .keptFlag), ("ipc", .text), ("isolation", .text),
        ("labels", .textMap), ("links", .texts),
        ("logging", .object([("driver", .text), ("options", .textMap)])), ("mem_limit", .bytes),
        ("mem_reservation", .bytes), ("memswap_limit", .bytes), ("mem_swappiness", .bytes), ("mac_address", .text),
        ("models", .map(.nullable(.object([("endpoint_var", .text), ("model_var", .text)])))),
        ("network_mode", .text), ("networks", .map(.nullable(network))), ("oom_kill_disable", .flag),
        ("oom_score_adj", .integer), ("pid", .text), ("pids_limit", .integer), ("platform", .text),
        ("ports", .list(port)), ("privileged", .flag), ("pull_policy", .text), ("pull_refresh_after", .text),
        ("read_only", .flag), ("restart", .text), ("runtime", .text), ("scale", .keptInteger),
        ("secrets", .list(fileReference)), ("security_opt", .texts), ("shm_size", .bytes), ("stdin_open", .flag),
        ("stop_grace_period", .keptDuration), ("stop_signal", .text), ("storage_opt", .textMap),
        ("sysctls", .textMap), ("tmpfs", .texts), ("tty", .flag), ("ulimits", .map(.ulimit)),
        ("use_api_socket", .flag), ("user", .text), ("userns_mode", .text), ("uts", .text),
        ("volumes", .list(mount)), ("volumes_from", .texts), ("working_dir", .text), ("pre_start", .list(hook)),
        ("post_start", .list(hook)), ("pre_stop", .list(hook)),
    ])
}
