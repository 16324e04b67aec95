import Compose
package import ExternalTools
import OrderedCollections
import Specs

/// Which images `so down --rmi` removes.
package enum ImageRemoval: String, Hashable, Sendable, CaseIterable {
    /// Of every service.
    case all
    /// Those that were built for services without an `image:` of their own.
    case local
}

extension LoadedDeployment {
    /// The names of the images that are removed with the deployment, in order.
    package func images(_ choice: ImageRemoval) -> [String] {
        let services = project.project.services.values
        let chosen = services.filter { choice == .all || $0.image == nil && $0.build != nil }
        let names = chosen.compactMap { service in
            service.image ?? (service.build == nil ? nil : "\(project.project.name)-\(service.name)")
        }
        return names.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
    }
}

extension ImageEngine {
    /// Removes an image.
    ///
    /// - Returns: why it stays, in the engine's words; nil where it is gone.
    package func remove(_ image: String) async throws(CommandFailure) -> String? {
        let output = try await command(ImageArguments.remove(image), cancellation: .finish).result()
        guard output.status != 0 else { return nil }
        return output.standardError.split(separator: "\n").last.map(String.init) ?? "exit code \(output.status)"
    }
}
