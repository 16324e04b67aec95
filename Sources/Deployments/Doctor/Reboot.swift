import ExternalTools
import Glibc
import Runtimes

extension Doctor {
    /// What starts services with `restart: always` or `unless-stopped` when the host has started: no daemon of podman's does, but the unit that
    /// it comes with, which starts every container with that policy.
    /// https://docs.podman.io/en/latest/markdown/podman-run.1.html#restart-policy
    func reboot() async -> HostCheck {
        guard Files.exists("/run/systemd/system") else { return Self.reboot(.absent, isRoot: getuid() == 0) }
        let scope = getuid() == 0 ? [] : ["--user"]
        let command = Command("systemctl", scope + ["is-enabled", "--quiet", Self.restartUnit], host: environment)
        let isEnabled = (try? await command.result())?.status == 0
        let user = environment["USER"] ?? "\(getuid())"
        let staysLoggedOut = getuid() == 0 || Files.exists("/var/lib/systemd/linger/\(user)")
        return Self.reboot(
            !isEnabled ? .disabled : staysLoggedOut ? .enabled : .untilLogin, isRoot: getuid() == 0)
    }

    enum RestartUnit {
        case enabled, disabled
        /// A user's units run only while that user is logged in.
        case untilLogin
        /// The host has no systemd.
        case absent
    }

    static let restartUnit = "podman-restart.service"

    static func reboot(_ unit: RestartUnit, isRoot: Bool) -> HostCheck {
        let enabling =
            isRoot
            ? "systemctl enable \(restartUnit)"
            : "systemctl --user enable \(restartUnit) && loginctl enable-linger"
        return switch unit {
        case .enabled: HostCheck("reboot", .ok, "\(restartUnit) starts services again")
        case .disabled:
            HostCheck("reboot", .warning, "nothing starts services again after a reboot", hint: enabling)
        case .untilLogin:
            HostCheck("reboot", .warning, "services start again only when you log in", hint: "loginctl enable-linger")
        case .absent:
            HostCheck(
                "reboot", .warning, "nothing starts services again after a reboot: this host has no systemd",
                hint: "have it run, once it has started: podman start --all --filter restart-policy=always")
        }
    }
}
