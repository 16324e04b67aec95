extension KeyMapping {
    /// Keys about a service's names, ports and networks, and those of a network.
    static let networking: [KeyMapping] = [
        row("dns", .mapped("dnsConfig.nameservers, beside the cluster's own")),
        row("dns_opt", .mapped("dnsConfig.options")),
        row("dns_search", .mapped("dnsConfig.searches")),
        row("domainname", .mapped("subdomain and a headless Service of that name")),
        row("expose", .mapped("ports of the Service")),
        row(
            "external_links",
            .reported(
                "containers that compose did not start are not reachable by a link: use the other deployment's DNS name"
            )),
        row("extra_hosts", .mapped("hostAliases")),
        row("hostname", .mapped("hostname, and one more Service of that name")),
        row("ipc", .mapped("host → hostIPC; service:X → X's pod")),
        row("links", .mapped("one more Service for each alias")),
        row("mac_address", .reported("the pod's address is chosen by the network")),
        row(
            "network_mode",
            .mapped("host → hostNetwork; service:X → X's pod; none → a NetworkPolicy that allows nothing")),
        row(
            "networks",
            .mapped(
                "one network for all services; with the spec's `network.isolate`, a NetworkPolicy for each network; on podman networks of its own, also where one is `internal`"
            )
        ),
        row("networks.*.aliases", .mapped("one more Service for each alias")),
        row("networks.*.driver_opts", .reported("the pod network has no options")),
        row("networks.*.gw_priority", .reported("a pod has one network")),
        row("networks.*.interface_name", .reported("a pod has one interface, eth0")),
        row(
            "networks.*.ipv4_address",
            .reported(
                "the pod's address is chosen by the network (on podman it is honoured within the network's `ipam` subnet): use the service's name"
            )),
        row("networks.*.ipv6_address", .reported("the pod's address is chosen by the network: use the service's name")),
        row(
            "networks.*.link_local_ips", .reported("the pod's address is chosen by the network: use the service's name")
        ),
        row("networks.*.mac_address", .reported("the pod's address is chosen by the network")),
        row("networks.*.priority", .reported("a pod has one network")),
        row("pid", .mapped("host → hostPID; service:X → X's pod with shareProcessNamespace")),
        row("ports", .mapped("ports of the container and of its Service; published by the target's means")),
        row(
            "ports.[].host_ip",
            .mapped("podman: the address; a cluster publishes on every node, kind on 127.0.0.1, another is reported")),
        row(
            "ports.[].mode",
            .reported("in a cluster a published port is reachable on every node, not on the pod's own only")),
        row("sysctls", .mapped("sysctls of the pod")),
        row("uts", .reported("the pod has a host name of its own unless network_mode is host")),
        network("attachable", .reported("pods of the namespace reach each other")),
        network("driver", .reported("the cluster's own pod network is used")),
        network("driver_opts", .reported("the cluster's own pod network is used")),
        network("enable_ipv4", .reported("the cluster decides which addresses pods have")),
        network("enable_ipv6", .reported("the cluster decides which addresses pods have")),
        network(
            "external",
            .reported(
                "the deployment has a network of its own: what is on the external network is reached by its DNS name")),
        network(
            "internal", .reported("pods of a cluster reach the outside unless the spec says `network: {isolate: true}`")
        ),
        network("ipam", .reported("the cluster chooses addresses")),
        network("labels", .reported("no object that could carry them")),
        network("name", .ignored("the network is the deployment's own, whatever its name")),
        network("x-*", .ignored("an extension: free for the author")),
    ]

    private static func network(_ key: String, _ outcome: Outcome) -> KeyMapping {
        KeyMapping(place: .network, key: key, outcome: outcome)
    }
}
