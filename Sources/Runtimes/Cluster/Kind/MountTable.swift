/// The mounts of this host: which of its directories pass on to a container what is mounted below them later.
struct MountTable {
    private var mounts: [(point: String, isShared: Bool)] = []

    /// - Parameter mountinfo: `/proc/self/mountinfo`, https://man7.org/linux/man-pages/man5/proc_pid_mountinfo.5.html.
    init(mountinfo: String) {
        for line in mountinfo.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count > 6 else { continue }
            let options = fields[6...].prefix { $0 != "-" }
            let isShared = options.contains { $0.hasPrefix("shared:") || $0.hasPrefix("master:") }
            mounts.append((String(fields[4]).replacing("\\040", with: " "), isShared))
        }
    }

    /// Whether an engine takes the path with `rslave`: it refuses one on a private mount, such as / where no systemd made it shared (WSL 2).
    func isShared(_ path: String) -> Bool {
        let above = mounts.filter { mount in
            mount.point == "/" || path == mount.point || path.hasPrefix(mount.point + "/")
        }
        // Of mounts on one point the last one is seen.
        let longest = above.map(\.point.utf8.count).max()
        return above.last { $0.point.utf8.count == longest }?.isShared ?? false
    }
}
