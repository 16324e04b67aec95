import Compose
import Specs
import YAML

extension PodChecks {
    /// A container that may write a directory can put a link in place of what lies in it. Podman, which resolves paths again whenever it
    /// starts a container, by itself too, would then give the link's target to whoever mounts that.
    ///
    /// Who runs a project of their own as docker compose does has written both.
    mutating func refuseNestedMounts() {
        guard can(.oneHost), !options.mountsInPlace else { return }
        let written = hostMounts.filter(\.isWritten).sorted { $0.path.utf8.count < $1.path.utf8.count }
        for mount in hostMounts.sorted(by: { ($0.path, $0.service) < ($1.path, $1.service) }) {
            let above = written.first { mount.path != $0.path && mount.path.isPath(atOrBelow: $0.path) }
            guard let above, !isAllowed(mount.path) else { continue }
            tell(mount, in: above)
        }
    }

    private mutating func tell(_ mount: HostMount, in above: HostMount) {
        let message =
            "\(mount.path), which \(mount.service) mounts, lies in \(above.path), which \(above.service) may write: "
            + "a link that it puts there would be followed, to anywhere on this host"
        let hint =
            "mount the upper one read-only (`:ro`) or keep them beside each other;"
            + " if you trust the services with that, allow it in spec.yml: allowed-paths: [\(mount.path)]"
        if mount.isOwn {
            reports.error(message, at: mount.mark, hint: hint)
        } else {
            reports.warning(message, at: mount.mark, hint: hint)
        }
    }
}
