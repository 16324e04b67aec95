import ExternalTools
import Glibc
import Runtimes

extension Doctor {
    /// Runs one container without a network and without an image: only a run tells whether the OCI runtime works here.
    func trialRun() async -> HostCheck {
        guard let busybox = find("busybox", besides: ["/bin"]) else {
            return HostCheck(
                "containers", .warning, "not tried: no busybox to run", hint: "apt-get install busybox-static")
        }
        let root = "\(environment["TMPDIR"] ?? "/tmp")/so-doctor-\(getpid())"
        defer { try? Files.remove(root) }
        do {
            for directory in ["bin", "proc", "sys", "dev", "etc", "run", "tmp"] {
                try Files.makeDirectory("\(root)/\(directory)")
            }
            try Files.write(try Files.read(busybox), to: "\(root)/bin/busybox", mode: 0o755)
        } catch {
            return HostCheck("containers", .warning, "not tried: \(error)")
        }
        return await run(root)
    }

    private func run(_ root: String) async -> HostCheck {
        let arguments = ["run", "--rm", "--network", "none", "--rootfs", root, "/bin/busybox", "true"]
        do {
            try await podman.run(arguments)
            return HostCheck("containers", .ok, "a container runs")
        } catch {
            return HostCheck("containers", .failed, error.description, hint: Self.hint(configured: podman.environment))
        }
    }

    /// Without CAP_SYS_RESOURCE, or with hybrid cgroups, crun and podman's default limits fail where runc with explicit ones works.
    private static func hint(configured: [String: String]) -> String {
        if let file = configured["CONTAINERS_CONF"] { return "correct \(file)" }
        return """
            apt-get install runc, and write ~/.config/so/containers.conf, which so gives to podman:
                [containers]
                default_ulimits = ["nofile=1024:\(sysconf(Int32(_SC_OPEN_MAX)))", "nproc=\(processes):\(processes)"]
                [engine]
                runtime = "runc"
              (scripts/quickstart does both)
            """
    }

    /// What this user may run at once: no container may be given more where CAP_SYS_RESOURCE is missing.
    private static var processes: Int { min(sysconf(Int32(_SC_CHILD_MAX)), 4096) }
}
