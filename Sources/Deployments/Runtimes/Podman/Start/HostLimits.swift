import ExternalTools
import FoundationEssentials
import Glibc

/// What this host allows a container's `--ulimit`.
enum HostLimits {
    /// CAP_SYS_RESOURCE: who has it may raise a limit above the hard one.
    private static let raisesLimits: Bool = {
        guard let status = FileManager.default.contents(atPath: "/proc/self/status") else { return true }
        let line = status.split(separator: UInt8(ascii: "\n")).first { $0.starts(with: "CapEff:".utf8) }
        let digits = line.map { String(decoding: $0.dropFirst(7), as: UTF8.self).filter(\.isHexDigit) }
        let capabilities = digits.flatMap { UInt64($0, radix: 16) } ?? .max
        return capabilities & (1 << 24) != 0
    }()

    /// The options with the limits that podman would otherwise set higher than the host allows: it raises `nofile` and `nproc`
    /// by itself wherever a container has any limit of its own, and takes no defaults from containers.conf then.
    static func completing(_ options: [PodmanOption]) -> [PodmanOption] {
        let given = Set(limits(in: options).map(\.name))
        guard !given.isEmpty, !raisesLimits else { return options }
        var result = options
        for name in ["nofile", "nproc"] where !given.contains(name) {
            guard let limit = current(name) else { continue }
            result.append(.element("--ulimit", "\(name)=\(text(limit.rlim_cur)):\(text(limit.rlim_max))"))
        }
        return result
    }

    /// Each limit of the options that this host does not allow, with the highest that it does.
    static func excesses(in options: [PodmanOption]) -> [(name: String, value: String, highest: String)] {
        guard !raisesLimits else { return [] }
        return limits(in: options).compactMap { name, value in
            guard let limit = current(name), limit.rlim_max != rlim_t.max else { return nil }
            let isAllowed = value.split(separator: ":").allSatisfy { part in
                rlim_t(part).map { $0 <= limit.rlim_max } ?? false
            }
            return isAllowed ? nil : (name, value, text(limit.rlim_max))
        }
    }

    private static func limits(in options: [PodmanOption]) -> [(name: String, value: String)] {
        options.compactMap { option in
            guard option.name == "--ulimit", let value = option.value, let equals = value.firstIndex(of: "=") else {
                return nil
            }
            return (String(value[..<equals]), String(value[value.index(after: equals)...]))
        }
    }

    private static func text(_ limit: rlim_t) -> String { limit == .max ? "-1" : "\(limit)" }

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
