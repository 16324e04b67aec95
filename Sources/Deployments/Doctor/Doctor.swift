import ExternalTools
import FoundationEssentials
import Glibc
import Runtimes

/// One thing that `so` needs of a host, as it was found.
package struct HostCheck: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable {
        case ok
        /// Something works less well, or only a part of `so` needs it.
        case warning
        /// Deployments cannot run.
        case failed
    }

    package var name: String
    package var outcome: Outcome
    /// What was found.
    package var found: String
    /// The command or edit that fixes it; nil where nothing is to hint.
    package var hint: String?

    package init(_ name: String, _ outcome: Outcome, _ found: String, hint: String? = nil) {
        self.name = name
        self.outcome = outcome
        self.found = found
        self.hint = hint
    }
}

/// Checks a host for what deployments on podman need; changes nothing that stays.
package struct Doctor: Sendable {
    let podman: Podman
    let environment: [String: String]

    package init(environment: [String: String]) {
        podman = Podman(inherited: environment)
        self.environment = environment
    }

    /// Every check, those that others build on first.
    package func examine() async -> [HostCheck] {
        let version = await podmanVersion()
        var checks = [version]
        if version.outcome != .failed {
            checks += [network(), firewall(), await trialRun()]
        }
        checks.append(await reboot())
        checks.append(await program("git", needed: "fetching stacks"))
        if getuid() != 0 { checks += rootless() }
        checks.append(disk())
        return checks + (await clusters())
    }

    private func podmanVersion() async -> HostCheck {
        do {
            let version = try await podman.run(["version", "--format", "{{.Client.Version}}"]).text
            let parts = version.split(separator: ".").compactMap { Int($0) }
            guard parts.count >= 2, (parts[0], parts[1]) >= (4, 3) else {
                return HostCheck("podman", .failed, version, hint: "so needs podman 4.3 or newer (Debian 12 has it)")
            }
            return HostCheck("podman", .ok, version)
        } catch {
            let isMissing = error.code == .programMissing
            return HostCheck(
                "podman", .failed, isMissing ? "not installed" : error.description,
                hint: isMissing ? installationHint("podman") : nil)
        }
    }

    /// The helpers that give a deployment's network its names.
    private func network() -> HostCheck {
        let missing = ["netavark", "aardvark-dns"].filter {
            find($0, besides: ["/usr/lib/podman", "/usr/libexec/podman"]) == nil
        }
        guard missing.isEmpty else {
            return HostCheck(
                "network", .failed, "\(missing.joined(separator: " and ")) missing: services would not find each other",
                hint: "apt-get install \(missing.joined(separator: " "))")
        }
        return HostCheck("network", .ok, "netavark, aardvark-dns")
    }

    private func firewall() -> HostCheck {
        let found = ["iptables", "nft"].filter { find($0, besides: ["/usr/sbin", "/sbin"]) != nil }
        guard !found.isEmpty else {
            return HostCheck(
                "firewall", .failed, "neither iptables nor nft: podman cannot make networks",
                hint: "apt-get install iptables (Debian 12) or nftables (Debian 13)")
        }
        return HostCheck("firewall", .ok, found.joined(separator: ", "))
    }

    private func program(_ name: String, needed purpose: String) async -> HostCheck {
        guard let path = find(name, besides: []) else {
            return HostCheck(name, .warning, "not installed; needed for \(purpose)", hint: installationHint(name))
        }
        return HostCheck(name, .ok, path)
    }

    /// A kind node runs a whole system with its own watches of files, all counted against the host's limits.
    /// https://kind.sigs.k8s.io/docs/user/known-issues/#pod-errors-due-to-too-many-open-files
    private func fileWatches() -> HostCheck {
        Self.fileWatches(
            [("max_user_watches", 524_288), ("max_user_instances", 512)].map { name, wanted in
                let text = try? String(contentsOfFile: "/proc/sys/fs/inotify/\(name)", encoding: .utf8)
                return (name, text.flatMap { Int($0.filter(\.isNumber)) }, wanted)
            })
    }

    static func fileWatches(_ limits: [(name: String, value: Int?, wanted: Int)]) -> HostCheck {
        let low = limits.filter { ($0.value ?? 0) < $0.wanted }
        let found = limits.map { "\($0.name) \($0.value.map(String.init) ?? "unknown")" }.joined(separator: ", ")
        guard !low.isEmpty else { return HostCheck("inotify", .ok, found) }
        return HostCheck(
            "inotify", .warning, "\(found): too few for kind clusters with several deployments",
            hint: "sudo sysctl " + low.map { "fs.inotify.\($0.name)=\($0.wanted)" }.joined(separator: " ")
                + ", and the same in /etc/sysctl.d/kind.conf")
    }

    /// What `k8s-kind` needs; without kind nothing is wrong: podman and other clusters need none of it.
    private func clusters() async -> [HostCheck] {
        guard let kind = find("kind", besides: []) else {
            let found = "not installed; needed for deploy-to: k8s-kind only"
            return [HostCheck("kind", .ok, found), await engine(.docker, isNeeded: false)]
        }
        let chosen = environment["KIND_EXPERIMENTAL_PROVIDER"].flatMap(Kind.Provider.init(rawValue:))
        let hasOther = chosen == nil && find("podman", besides: []) != nil
        return [
            HostCheck("kind", .ok, kind), await engine(chosen ?? .docker, isNeeded: !hasOther),
            await program("kubectl", needed: "exec, cp and port-forward on clusters"), fileWatches(),
        ]
    }

    /// An engine that kind's nodes may run in; podman has checks of its own.
    private func engine(_ provider: Kind.Provider, isNeeded: Bool) async -> HostCheck {
        let program = provider.program
        guard let path = find(program, besides: []) else {
            let found =
                "not installed" + (isNeeded ? ": kind's nodes run in it" : "; kind's nodes can run in podman too")
            return HostCheck(
                program, isNeeded ? .warning : .ok, found, hint: isNeeded ? installationHint(program) : nil)
        }
        do {
            let output = try await Kind(provider: provider, host: environment).engineVersion.result()
            guard output.status != 0 else { return HostCheck(program, .ok, path) }
            let said = output.standardError.split(separator: "\n").last.map(String.init) ?? "exit code \(output.status)"
            return HostCheck(
                program, isNeeded ? .warning : .ok, "\(path) is there, and its engine does not answer: \(said)",
                hint: !isNeeded ? nil : "systemctl start \(program), or add yourself to the group \(program)")
        } catch {
            return HostCheck(program, .warning, "\(path) cannot be run: \(error)")
        }
    }

    private func disk() -> HostCheck {
        let directory = environment["HOME"] ?? "/"
        var status = statvfs()
        guard statvfs(directory, &status) == 0 else {
            return HostCheck("disk", .warning, "\(directory) cannot be examined")
        }
        let free = (UInt64(status.f_bavail) * UInt64(status.f_frsize)) >> 20
        return free < 1024
            ? HostCheck(
                "disk", .warning, "\(free) MiB free at \(directory)", hint: "podman image prune, or a larger disk")
            : HostCheck("disk", .ok, "\(free >> 10) GiB free at \(directory)")
    }

    private func rootless() -> [HostCheck] {
        let user = environment["USER"] ?? "\(getuid())"
        let ranges = (try? String(contentsOfFile: "/etc/subuid", encoding: .utf8)) ?? ""
        let hasRange = ranges.split(separator: "\n").contains {
            $0.hasPrefix("\(user):") || $0.hasPrefix("\(getuid()):")
        }
        let ids =
            hasRange
            ? HostCheck("user ids", .ok, "a range in /etc/subuid")
            : HostCheck(
                "user ids", .failed, "\(user) has no range in /etc/subuid",
                hint: "sudo usermod --add-subuids 100000-165535 --add-subgids 100000-165535 \(user)")
        let runtime = environment["XDG_RUNTIME_DIR"].map { Files.isDirectory($0) } ?? false
        let directory =
            runtime
            ? HostCheck("runtime directory", .ok, environment["XDG_RUNTIME_DIR"] ?? "")
            : HostCheck(
                "runtime directory", .warning, "XDG_RUNTIME_DIR is not set, as after `su`",
                hint: "log in, or: export XDG_RUNTIME_DIR=/run/user/\(getuid())")
        return [ids, directory]
    }

    func find(_ program: String, besides directories: [String]) -> String? {
        let path = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map(String.init)
        return (path + directories).map { "\($0)/\(program)" }.first { access($0, X_OK) == 0 }
    }
}
