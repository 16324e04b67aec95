package import Rendering
import Runtimes
import Specs
import Stacks

/// Which images of a stack are pulled from a registry instead of being built.
package struct FetchImages: Sendable {
    package var stack: String
    package var filter = ImageFilter()
    package var engine: ImageEngine.Kind?
    package var registry: String
    /// Whether an image that is here already is replaced.
    package var overwrites = false
    /// The registry's login; nil: the user's own.
    package var login: RegistryCredential?
    /// The login's token where it was given itself.
    package var token: String?

    package init(stack: String, registry: String) {
        self.stack = stack
        self.registry = registry
    }
}

extension DeploymentService {
    /// The images that a fetch is about, by the names that the stack's files use.
    package func imagesToFetch(_ request: FetchImages) throws -> [String] {
        let all = try host.resolver().resolve(request.stack).containers.map(\.image)
        try request.filter.check(all)
        return request.filter.chosen(all).map { $0.contains(":") ? $0 : "\($0):local" }
    }

    /// Pulls them and tags them as if they had been built here.
    ///
    /// - Returns: for each image whether it was fetched.
    package func fetchImages(
        _ request: FetchImages, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> [(image: PublishedImage, fetched: Bool)] {
        let images = try imagesToFetch(request)
        guard !images.isEmpty else { return [] }
        let engine = try ImageEngine.find(request.engine, environment: host.environment)
        return try await host.withScratch("so-fetch") { scratch in
            let logins = try logins(request, scratch)
            return try await engine.fetch(
                images, from: request.registry, overwrites: request.overwrites, logins: logins,
                note: { events(.message($0)) })
        }
    }

    private func logins(_ request: FetchImages, _ scratch: String) throws -> String? {
        guard var login = request.login else { return nil }
        login.tokenFile = login.tokenFile.map(host.absolute)
        let token = try request.token ?? login.token(environment: host.environment)
        return try RegistryLogins.write(
            server: request.registry, username: login.username, token: token, to: scratch + "/logins.json")
    }
}
