import FoundationEssentials
import Glibc
import Rendering

/// What this host allows the limits of a container to be.
enum HostLimits {
    /// CAP_SYS_RESOURCE: who has it may raise a limit above the hard one.
    private static let raisesLimits: Bool = {
        guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return true }
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "CapEff:".utf8) }
        let digits = line.map { String(decoding: $0.dropFirst(7), as: UTF8.self).filter(\.isHexDigit) }
        let capabilities = digits.flatMap { UInt64($0, radix: 16) } ?? .max
        return capabilities & (1 << 24) != 0
    }()

    /// The limits with those that podman would otherwise set higher than the host allows: it raises `nofile` and `nproc` by itself wherever a
    /// container has any limit of its own, and takes no defaults from containers.conf then.
    static func completing(_ limits: [PodmanSettings.Limit]) -> [PodmanSettings.Limit] {
        let given = Set(limits.map(\.name))
        guard !given.isEmpty, !raisesLimits else { return limits }
        return limits
            + ["nofile", "nproc"].filter { !given.contains($0) }.compactMap { name in
                current(name).map {
                    PodmanSettings.Limit(name: name, soft: number($0.rlim_cur), hard: number($0.rlim_max))
                }
            }
    }

    /// Each limit that this host does not allow, with the highest that it does.
    static func excesses(in limits: [PodmanSettings.Limit]) -> [(name: String, value: String, highest: String)] {
        guard !raisesLimits else { return [] }
        return limits.compactMap { limit in
            guard let own = current(limit.name), own.rlim_max != rlim_t.max else { return nil }
            let isAllowed = [limit.soft, limit.hard].allSatisfy {
                rlim_t(exactly: $0).map { $0 <= own.rlim_max } ?? false
            }
            return isAllowed ? nil : (limit.name, "\(limit.soft):\(limit.hard)", "\(number(own.rlim_max))")
        }
    }

    /// As podman takes it: -1 is without limit.
    private static func number(_ limit: rlim_t) -> Int64 { Int64(exactly: limit) ?? -1 }

    private static func current(_ name: String) -> rlimit? {
        guard let resource = resources[name] else { return nil }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0 else { return nil }
        guard name == "nproc", let most = mostProcesses else { return limit }
        return rlimit(rlim_cur: min(limit.rlim_cur, most), rlim_max: min(limit.rlim_max, most))
    }

    /// The kernel's highest process id: podman lowers its own limit to it, and cannot raise it again.
    private static let mostProcesses: rlim_t? = {
        let bytes = FileManager.default.contents(atPath: "/proc/sys/kernel/pid_max") ?? Data()
        return rlim_t(String(decoding: bytes.filter { (48...57).contains($0) }, as: UTF8.self))
    }()

    private static let resources: [String: __rlimit_resource] = [
        "core": RLIMIT_CORE, "cpu": RLIMIT_CPU, "data": RLIMIT_DATA, "fsize": RLIMIT_FSIZE,
        "memlock": __RLIMIT_MEMLOCK, "nofile": RLIMIT_NOFILE, "nproc": __RLIMIT_NPROC, "rss": __RLIMIT_RSS,
        "stack": RLIMIT_STACK, "as": RLIMIT_AS, "locks": __RLIMIT_LOCKS, "msgqueue": __RLIMIT_MSGQUEUE,
        "nice": __RLIMIT_NICE, "rtprio": __RLIMIT_RTPRIO, "rttime": __RLIMIT_RTTIME, "sigpending": __RLIMIT_SIGPENDING,
    ]
}
