import Rendering
import YAML

/// The runtime handler that the RuntimeClass of `unlimited-memlock` names: runc with another base specification, in which locked memory
/// has no limit. CAP_IPC_LOCK alone lifts none.
///
/// A base specification replaces containerd's own, so it has to say all: https://github.com/opencontainers/runtime-spec/blob/main/config.md.
/// It is what `ctr oci spec` prints, with kind's hook, which gives the node's product files to containers.
enum MemlockHandler {
    /// Where the node has the specification.
    static let nodePath = "/etc/containerd/high-memlock.json"

    /// What containerd's configuration says of it, in the version that kind's nodes have.
    static let patch = """
        [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.\(Keys.memlockHandler)]
          runtime_type = "io.containerd.runc.v2"
          base_runtime_spec = "\(nodePath)"
          [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.\(Keys.memlockHandler).options]
            SystemdCgroup = true

        """

    static var specification: String {
        let hook = Node.map([("path", .string("/kind/bin/mount-product-files.sh"))])
        let entries: [(String, Node)] = [
            ("ociVersion", .string("1.1.0")), ("process", process), ("root", .map([("path", .string("rootfs"))])),
            ("mounts", .list(mounts.map(\.node))), ("linux", linux),
            ("hooks", .map([("createContainer", .list([hook]))])),
        ]
        return Node.map(entries).json(pretty: true) + "\n"
    }

    private static var process: Node {
        let capabilities = texts(
            [
                "CHOWN", "DAC_OVERRIDE", "FSETID", "FOWNER", "MKNOD", "NET_RAW", "SETGID", "SETUID", "SETFCAP",
                "SETPCAP",
                "NET_BIND_SERVICE", "SYS_CHROOT", "KILL", "AUDIT_WRITE",
            ].map { "CAP_\($0)" })
        return .map([
            ("user", .map([("uid", .plain("0")), ("gid", .plain("0"))])), ("cwd", .string("/")),
            ("capabilities", .map(["bounding", "effective", "permitted"].map { ($0, capabilities) })),
            // All bits set is no limit: RLIM_INFINITY of Linux.
            ("rlimits", .list([limit("MEMLOCK", "18446744073709551615"), limit("NOFILE", "1048576")])),
            ("noNewPrivileges", .plain("true")),
        ])
    }

    private static func limit(_ name: String, _ value: String) -> Node {
        .map([("type", .string("RLIMIT_\(name)")), ("hard", .plain(value)), ("soft", .plain(value))])
    }

    private static var linux: Node {
        .map([
            (
                "resources",
                .map([("devices", .list([.map([("allow", .plain("false")), ("access", .string("rwm"))])]))])
            ),
            ("cgroupsPath", .string("/default")),
            ("namespaces", .list(["pid", "ipc", "uts", "mount", "network"].map { .map([("type", .string($0))]) })),
            (
                "maskedPaths",
                texts(
                    [
                        "acpi", "asound", "kcore", "keys", "latency_stats", "timer_list", "timer_stats", "sched_debug",
                        "scsi",
                    ].map { "/proc/\($0)" } + ["/sys/firmware", "/sys/devices/virtual/powercap"])
            ),
            ("readonlyPaths", texts(["bus", "fs", "irq", "sys", "sysrq-trigger"].map { "/proc/\($0)" })),
        ])
    }

    private struct Mount {
        var target: String
        var type: String
        var source: String
        var options: [String]

        var node: Node {
            .map([
                ("destination", .string(target)), ("type", .string(type)), ("source", .string(source)),
                ("options", MemlockHandler.texts(options)),
            ])
        }
    }

    private static let mounts = [
        Mount(target: "/proc", type: "proc", source: "proc", options: ["nosuid", "noexec", "nodev"]),
        Mount(
            target: "/dev", type: "tmpfs", source: "tmpfs",
            options: ["nosuid", "strictatime", "mode=755", "size=65536k"]),
        Mount(
            target: "/dev/pts", type: "devpts", source: "devpts",
            options: ["nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"]),
        Mount(
            target: "/dev/shm", type: "tmpfs", source: "shm",
            options: ["nosuid", "noexec", "nodev", "mode=1777", "size=65536k"]),
        Mount(target: "/dev/mqueue", type: "mqueue", source: "mqueue", options: ["nosuid", "noexec", "nodev"]),
        Mount(target: "/sys", type: "sysfs", source: "sysfs", options: ["nosuid", "noexec", "nodev", "ro"]),
        Mount(
            target: "/run", type: "tmpfs", source: "tmpfs",
            options: ["nosuid", "strictatime", "mode=755", "size=65536k"]),
    ]

    fileprivate static func texts(_ values: [String]) -> Node { .list(values.map { .string($0) }) }
}
