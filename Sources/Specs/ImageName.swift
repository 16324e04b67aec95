/// An image as compose files name it, in its parts: `registry/path:tag@digest`.
///
/// Rule: <https://github.com/distribution/reference>; a first part without `.`, `:` and other than `localhost` is not a registry.
package struct ImageName: Hashable, Sendable {
    /// `registry.example.com:5000`, `localhost`; nil: the engine's default.
    package var registry: String?
    /// `cerc/foundry`.
    package var path: String
    package var tag: String?
    /// `sha256:…`.
    package var digest: String?

    package init(path: String) {
        self.path = path
    }

    /// Nil for a text that cannot be an image's name, or that an engine would take for an option.
    package init?(_ text: String) {
        var rest = text[...]
        if let at = rest.lastIndex(of: "@") {
            digest = String(rest[rest.index(after: at)...])
            rest = rest[..<at]
        }
        if let colon = rest.lastIndex(of: ":"), !rest[colon...].contains("/") {
            tag = String(rest[rest.index(after: colon)...])
            rest = rest[..<colon]
        }
        var parts = rest.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        if parts.count > 1, let first = parts.first, first == "localhost" || first.contains(".") || first.contains(":")
        {
            registry = first
            parts.removeFirst()
        }
        path = parts.joined(separator: "/")
        guard !parts.contains(""), !parts.isEmpty, !text.hasPrefix("-"), tag != "", digest != "",
            !text.unicodeScalars.contains(where: { $0.value <= 32 })
        else { return nil }
    }

    /// Whether only this host can have it: built here under the tag `local`, or kept under the registry `localhost` that podman gives to what
    /// it builds.
    package var isLocal: Bool { digest == nil && (tag == "local" || registry == "localhost") }

    /// Where the image stands in a registry: what pushes it and what pulls it agree on this name. `local` is `latest` there, other tags stay.
    ///
    /// - Parameter registry: a host, perhaps with a port and a path: `registry.example.com:5000/team`.
    package func published(in registry: String) -> String {
        "\(repository(in: registry)):\(tag.map { $0 == "local" ? "latest" : $0 } ?? "latest")"
    }

    /// The same without a tag; `@sha256:…` behind it names one content.
    package func repository(in registry: String) -> String {
        var base = registry[...]
        for scheme in ["https://", "http://"] where base.hasPrefix(scheme) { base = base.dropFirst(scheme.count) }
        while base.hasSuffix("/") { base = base.dropLast() }
        return "\(base)/\(path)"
    }

    /// The name under which engines keep the login of a registry: no scheme, no path, and one name for Docker's.
    ///
    /// Rule: <https://github.com/containers/image/blob/main/docs/containers-auth.json.5.md>
    package static func registryHost(_ server: String) -> String {
        var rest = server[...]
        for scheme in ["https://", "http://"] where rest.hasPrefix(scheme) { rest = rest.dropFirst(scheme.count) }
        let host = rest.prefix { $0 != "/" }.lowercased()
        return ["index.docker.io", "registry-1.docker.io"].contains(host) ? "docker.io" : host
    }

    /// The same of the registry that an image comes from; without a name of one it is Docker's.
    package static func registryHost(ofImage reference: String) -> String {
        registryHost(ImageName(reference)?.registry ?? "docker.io")
    }

    /// The name with its registry: without one it is Docker's, as docker and Kubernetes have it; podman alone would not know.
    ///
    /// What only this host can have stays as it is.
    package static func qualified(_ reference: String) -> String {
        guard let name = ImageName(reference), name.registry == nil, !name.isLocal else { return reference }
        return "docker.io/" + (name.path.contains("/") ? reference : "library/" + reference)
    }

    /// Whether the registry is on this host, where no certificate can be expected.
    package static func isLoopback(_ reference: String) -> Bool {
        let host = reference.prefix { $0 != "/" }
        let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        return name == "localhost" && host.contains(":") || name.hasPrefix("127.") || name == "[::1]"
    }
}
