import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What comes back after a reboot, on a podman of its own: the processes are killed, the mounts and everything that lives below /run are gone.
@Suite(.pods, .podmanOnly, .enabled(if: geteuid() == 0, "the mounts of a podman of one's own need root"))
struct RebootTests {
    private func podman(_ home: String, _ words: String...) async throws -> [String] {
        let finished = try await run("podman", words, environment: environment(home))
        try #require(finished.succeeded, "\(finished)")
        return finished.output.split(separator: "\n").map(String.init)
    }

    private func environment(_ home: String) -> [String: String] {
        Podman.environment.merging(settings(home)) { $1 }
    }

    private func settings(_ home: String) -> [String: String] {
        ["CONTAINERS_STORAGE_CONF": home + "/storage.conf", "CONTAINERS_CONF": home + "/containers.conf"]
    }

    /// Its storage, its /run and its networks are apart from the podman of the other tests.
    private func makePodman(_ home: String, image: String) async throws {
        let storage = "[storage]\ndriver = \"overlay\"\ngraphroot = \"\(home)/graph\"\nrunroot = \"\(home)/run\"\n"
        try write(storage, to: home + "/storage.conf")
        let given = Podman.environment["CONTAINERS_CONF"].flatMap { try? read($0) } ?? "[engine]\n"
        let engine = "[engine]\ntmp_dir = \"\(home)/tmp\"\nlock_type = \"file\"\n"
        let network = "[network]\nnetwork_config_dir = \"\(home)/networks\"\n"
        try write(given.replacing("[engine]\n", with: engine) + network, to: home + "/containers.conf")
        let archive = home + "/image.tar"
        #expect(try await Podman.run(["save", "--quiet", "--output", archive, image]).succeeded)
        _ = try await podman(home, "load", "--quiet", "--input", archive)
    }

    /// Everything that does not outlive the host's end.
    private func reboot(_ home: String) async throws {
        for name in try await podman(home, "ps", "--quiet", "--no-trunc") {
            let facts = try await podman(
                home, "inspect", "--format", "{{.State.ConmonPid}} {{.State.Pid}} {{.NetworkSettings.SandboxKey}}", name
            )
            let fields = facts[0].split(separator: " ").map(String.init)
            let processes = fields.prefix(2).compactMap { Int32($0) }
            for process in processes { kill(process, SIGKILL) }
            try await eventually("its processes have ended") { processes.allSatisfy { kill($0, 0) != 0 } }
            // The OCI runtime's own record of this container; other podmans of the host have theirs beside it.
            for runtime in ["runc", "crun"] { removeTree("/run/\(runtime)/\(name)") }
            if fields.count > 2 { umount2(fields[2], Int32(MNT_DETACH)) }
        }
        unmount(home)
        for directory in ["run", "tmp"] { removeTree("\(home)/\(directory)") }
    }

    private func unmount(_ home: String) {
        let mounts = ((try? read("/proc/self/mountinfo")) ?? "").split(separator: "\n").compactMap {
            $0.split(separator: " ").dropFirst(4).first.map(String.init)
        }
        for mount in mounts.filter({ $0.hasPrefix(home + "/") }).sorted().reversed() {
            umount2(mount, Int32(MNT_DETACH))
        }
    }

    private let compose = """
        services:
          web:
            image: IMAGE
            command: ["sleep", "100000"]
            restart: unless-stopped
            volumes: ["data:/data"]
            stop_grace_period: 0s
          other:
            image: IMAGE
            command: ["sleep", "100000"]
            restart: always
            stop_grace_period: 0s
          stopped:
            image: IMAGE
            command: ["sleep", "100000"]
            restart: unless-stopped
            stop_grace_period: 0s
        volumes:
          data:
        """

    @Test(arguments: ["start", "podman-restart.service"])
    func `after a reboot what ran runs again with its data, and what was stopped stays stopped`(by means: String)
        async throws
    {
        try await withTemporaryDirectory("so-reboot") { home in
            defer { unmount(home) }
            try await makePodman(home, image: try await Podman.testImage())
            try await withSandbox(environment: settings(home)) { sandbox in
                try await sandbox.create(compose)
                try await sandbox.mustDeployment("start")
                try await sandbox.inside("web", "sh", "-c", "echo kept > /data/file")
                try await sandbox.mustDeployment("stop", "stopped")
                try await reboot(home)
                if means == "start" {
                    try await sandbox.mustDeployment("start", "web", "other")
                } else {
                    // What the unit runs: https://github.com/containers/podman/blob/v4.3.1/contrib/systemd/system/podman-restart.service.in
                    _ = try await podman(home, "start", "--all", "--filter", "restart-policy=always")
                }
                let running = try await podman(home, "ps", "--format", "{{.Names}}").sorted()
                #expect(running == ["other", "web"].map { "\(sandbox.namespace)_\($0)_\($0)" })
                #expect(try await sandbox.inside("web", "cat", "/data/file") == "kept")
                try await sandbox.mustDeployment("start", "web", "other")
                try await sandbox.mustDeployment("stop", "--delete-volumes")
            }
        }
    }
}
