/// Where this host keeps the routes of all deployments, and how they are served.
package struct RouteSettings: Hashable, Sendable {
    /// Holds `<deployment id>.json` of every deployment with routes.
    package var directory: String
    /// The pod that serves them; its network bears the same name.
    package var name: String
    /// The ports of this host; nil: those of the pod that runs, else 80 and 443.
    package var httpPort: Int?
    package var httpsPort: Int?
    /// The image that the spec asks for.
    package var image: String?
    /// What is wrong with the environment.
    private(set) var problem: String?

    /// Reads SO_HTTP_PORT, SO_HTTPS_PORT and SO_ROUTES_NAME.
    package init(environment: [String: String], image: String? = nil) {
        self.image = image
        name = Self.usualName
        if let given = environment["SO_ROUTES_NAME"], !given.isEmpty {
            name = given
            if !Self.isName(given) { problem = "SO_ROUTES_NAME is `\(given)`, which cannot be a pod's name" }
        }
        directory = hostStateDirectory(environment) + "/" + (name == Self.usualName ? "routes" : name)
        httpPort = port("SO_HTTP_PORT", environment)
        httpsPort = port("SO_HTTPS_PORT", environment)
        if httpPort != nil, httpPort == httpsPort { problem = "SO_HTTP_PORT and SO_HTTPS_PORT are the same" }
    }

    private static let usualName = "so-routes"

    private static func isName(_ text: String) -> Bool {
        let isPlain = text.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-")
        }
        return isPlain && text.utf8.first != UInt8(ascii: "-") && text.utf8.count <= 60
    }

    private mutating func port(_ variable: String, _ environment: [String: String]) -> Int? {
        guard let text = environment[variable], !text.isEmpty else { return nil }
        if let port = Int(text), (1...65535).contains(port) { return port }
        problem = "invalid port `\(text)` in \(variable)"
        return nil
    }

    /// The ports to serve on, where a pod that runs serves on `current`.
    func ports(_ current: RoutePorts?) -> RoutePorts {
        RoutePorts(http: httpPort ?? current?.http ?? 80, https: httpsPort ?? current?.https ?? 443)
    }

    /// The same, with whatever ports the pod has.
    var withoutPorts: RouteSettings {
        var settings = self
        (settings.httpPort, settings.httpsPort) = (nil, nil)
        return settings
    }

    var effectiveImage: String { image ?? "docker.io/library/caddy:2" }
    var container: String { PodmanNames.container(name, "caddy") }
    /// Keeps the certificates; it outlives the pod.
    var volume: String { "\(name)-data" }
    /// Mounted into the container, read-only: a file that is renamed into it is seen there.
    var configurationDirectory: String { directory + "/caddy" }
}
