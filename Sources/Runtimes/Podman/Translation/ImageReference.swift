import Specs

/// A text that podman can only read as an image's name in a registry or in its own store.
///
/// podman first tries a text as `transport:place` (containers-transports(5)): `docker-archive:/home/me/backup.tar` or `dir:keys` in a stack would
/// read files of the operator into an image.
enum ImageReference {
    /// `docker:` is not among them: it leads to a registry, and `docker:dind` is an image.
    private static let fileTransports: Set<String> = [
        "atomic", "containers-storage", "dir", "docker-archive", "docker-daemon", "oci", "oci-archive", "ostree", "sif",
        "tarball",
    ]

    /// Whether the text is `[registry[:port]/]path[:tag][@digest]`, and no transport of podman's.
    static func isName(_ text: String) -> Bool {
        guard let name = ImageName(text), isPlain(name.path, "._-/"), isPlain(name.tag ?? "", "._-"),
            isPlain(name.digest ?? "", ":+._-")
        else { return false }
        guard let registry = name.registry else { return name.tag == nil || !fileTransports.contains(name.path) }
        return isHost(registry)
    }

    private static func isHost(_ registry: String) -> Bool {
        if registry.hasPrefix("[") { return isPlain(registry, "[]:") }
        let parts = registry.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let host = parts.first, !host.isEmpty, isPlain(String(host), ".-") else { return false }
        guard parts.count == 2 else { return true }
        return UInt16(parts[1]) != nil && !fileTransports.contains(String(host))
    }

    private static func isPlain(_ text: String, _ others: String) -> Bool {
        text.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9": true
            default: others.unicodeScalars.contains(scalar)
            }
        }
    }
}
