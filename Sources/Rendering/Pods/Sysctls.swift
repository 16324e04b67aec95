/// The sysctls that every kubelet allows: https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/ (Kubernetes 1.36).
private let safeSysctls: Set = [
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
]

/// Whether nodes take pods with the sysctl without being told to; its parts may be divided by slashes, as sysctl(8) has them too.
package func isSafeSysctl(_ name: String) -> Bool {
    safeSysctls.contains(name) || safeSysctls.contains(name.replacing("/", with: "."))
}
