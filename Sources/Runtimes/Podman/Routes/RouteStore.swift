import FoundationEssentials

/// The files of the routes: one for each deployment, and what Caddy was told last.
struct RouteStore: Sendable {
    let settings: RouteSettings

    private func file(_ deployment: String) -> String { "\(settings.directory)/\(deployment).json" }
    private var loadedFile: String { settings.configurationDirectory + "/caddy.json" }
    private var nextFile: String { settings.configurationDirectory + "/next.json" }
    /// The same files as the container has them.
    static let loadedPath = "/so/caddy.json"
    static let nextPath = "/so/next.json"

    /// Holds off every other command of this user that changes routes.
    func locked<Result>(_ body: () async throws -> Result) async throws -> Result {
        try Files.makeDirectory(settings.directory, mode: 0o700)
        let lock = try await DirectoryLock.acquire(
            path: settings.directory + "/lock", holder: "another deployment's routes", waiting: { _ in })
        let result = try await body()
        _ = consume lock
        return result
    }

    // MARK: Deployments

    func routes(of deployment: String) throws(DeploymentError) -> DeploymentRoutes? {
        guard let bytes = try Files.readIfPresent(file(deployment)) else { return nil }
        do {
            return try JSONDecoder().decode(DeploymentRoutes.self, from: Data(bytes))
        } catch {
            throw DeploymentError(
                .cannotCreate, "\(file(deployment)) does not hold routes that this so can read", cause: "\(error)",
                hint: "use the so that wrote it, or remove it and start its deployment again")
        }
    }

    /// All deployments', in the order of their ids.
    func all() throws(DeploymentError) -> [DeploymentRoutes] {
        guard Files.isDirectory(settings.directory) else { return [] }
        var result: [DeploymentRoutes] = []
        for name in try Files.list(settings.directory) where name.hasSuffix(".json") {
            if let routes = try routes(of: String(name.dropLast(5))) { result.append(routes) }
        }
        return result.sorted { $0.deployment < $1.deployment }
    }

    /// - Parameter routes: nil removes the file.
    func write(_ routes: DeploymentRoutes?, of deployment: String) throws(DeploymentError) {
        guard let routes else { return try Files.remove(file(deployment)) }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        do {
            try Files.write(Array(encoder.encode(routes)), to: file(deployment), mode: 0o600)
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cannotCreate, "\(file(deployment)) cannot be written", cause: "\(error)")
        }
    }

    // MARK: Changes

    private var pendingFile: String { settings.directory + "/pending" }

    /// Whether a change was begun and not brought to its end: what Caddy has, nobody knows then.
    var isPending: Bool { Files.exists(pendingFile) }

    func begin() throws(DeploymentError) { try Files.write([], to: pendingFile, mode: 0o600) }

    func finish() throws(DeploymentError) { try Files.remove(pendingFile) }

    // MARK: Configuration

    func loaded() throws(DeploymentError) -> [UInt8]? { try Files.readIfPresent(loadedFile) }

    /// Puts a configuration beside the one that is in force.
    func propose(_ bytes: [UInt8]) throws(DeploymentError) {
        try Files.makeDirectory(settings.configurationDirectory, mode: 0o700)
        try Files.write(bytes, to: nextFile, mode: 0o600)
    }

    /// Makes the proposed configuration the one in force.
    func accept() throws(DeploymentError) { try Files.rename(nextFile, to: loadedFile) }

    func reject() throws(DeploymentError) { try Files.remove(nextFile) }

    func removeConfiguration() throws(DeploymentError) { try Files.remove(settings.configurationDirectory) }
}
