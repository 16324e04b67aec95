package import Deployments
import ExternalTools
import Glibc
import Runtimes

/// Checks a host for what sessions and workspaces need besides podman; nothing of it keeps deployments from running.
package struct WorkspaceDoctor: Sendable {
    private let context: WorkspaceContext
    /// The absolute path of `so`.
    private let executable: String?

    package init(_ context: WorkspaceContext, executable: String?) {
        self.context = context
        self.executable = executable
    }

    package func examine() async -> [HostCheck] {
        var checks = [await git(), egress(), agents(), ssh()] + cluster()
        if geteuid() == 0 { checks.append(owner()) } else { checks.append(linger()) }
        return checks
    }

    /// `git merge-tree --write-tree` is of git 2.38.
    private func git() async -> HostCheck {
        let output = try? await Command("git", ["version"], host: context.environment).result()
        let version = output.flatMap { $0.text.split(separator: " ").dropFirst(2).first }.map(String.init)
        guard let version else {
            return HostCheck("sessions: git", .warning, "not installed", hint: "apt-get install git")
        }
        let numbers = version.split(separator: ".").compactMap { Int($0) }
        guard numbers.count >= 2, (numbers[0], numbers[1]) >= (2, 38) else {
            return HostCheck(
                "sessions: git", .warning, "\(version): no session's work can be merged",
                hint: "install git 2.38 or newer; --on-exit keep works")
        }
        return HostCheck("sessions: git", .ok, version)
    }

    private func egress() -> HostCheck {
        let path = executable.map { Files.parent(of: $0) + "/so-egress" }
        guard let path, access(path, X_OK) == 0 else {
            return HostCheck(
                "sessions: egress", .warning, "so-egress is not beside so: sessions have no way out",
                hint: "install so again: scripts/install")
        }
        return HostCheck("sessions: egress", .ok, path)
    }

    /// Which providers are paid; never with what.
    private func agents() -> HostCheck {
        do {
            let statuses = try context.credentials.status(of: try context.agents())
            let paid = Set(statuses.filter { $0.source != nil }.map(\.provider)).sorted()
            guard !paid.isEmpty else {
                return HostCheck(
                    "sessions: credentials", .warning, "none: no agent has a model", hint: "so auth login anthropic")
            }
            return HostCheck("sessions: credentials", .ok, paid.joined(separator: ", "))
        } catch {
            return HostCheck("sessions: credentials", .warning, "\(error)")
        }
    }

    /// What sessions need where the settings lead them to a cluster.
    private func cluster() -> [HostCheck] {
        guard let runtime = try? context.settingsStore.load().runtime, !runtime.mountsHost else { return [] }
        guard var problem = context.problem(of: runtime) else {
            return [HostCheck("sessions: \(runtime.name)", .ok, "kubectl")]
        }
        problem.hint = (problem.hint.map { "\($0); " } ?? "") + "so settings list shows where sessions run"
        return [problem]
    }

    private func ssh() -> HostCheck {
        guard let path = context.find("ssh"), context.find("ssh-keygen") != nil else {
            return HostCheck(
                "sessions: ssh", .ok, "not installed; needed for so session ssh-config only")
        }
        return HostCheck("sessions: ssh", .ok, path)
    }

    /// Root's git must not leave files of root's in a user's project.
    private func owner() -> HostCheck {
        guard let path = context.find("setpriv") else {
            return HostCheck(
                "sessions: setpriv", .warning, "not installed: root cannot work in projects of others",
                hint: "apt-get install util-linux")
        }
        return HostCheck("sessions: setpriv", .ok, path)
    }

    /// https://www.freedesktop.org/software/systemd/man/latest/loginctl.html#enable-linger%20USER%E2%80%A6
    private func linger() -> HostCheck {
        let user = context.environment["USER"] ?? "\(getuid())"
        guard !Files.isDirectory("/run/systemd/system") || Files.exists("/var/lib/systemd/linger/\(user)") else {
            return HostCheck(
                "sessions: linger", .warning, "detached sessions end when \(user) logs out",
                hint: "loginctl enable-linger \(user)")
        }
        return HostCheck("sessions: linger", .ok, "detached sessions outlive a login")
    }
}
