import Compose
import ExternalTools
import OrderedCollections
import Rendering
package import Runtimes
import Specs

/// An image that was pushed to a registry, or pulled from one.
package struct PublishedImage: Hashable, Sendable {
    /// What the files call it.
    package var image: String
    /// `registry/name:tag`: what push and pull agree on.
    package var reference: String
    /// `registry/name@sha256:…`: the very content.
    package var pinned: String
}

extension ImageEngine {
    /// Pushes images of this host to a registry, several at a time.
    ///
    /// - Parameters:
    ///   - logins: a file with the registry's credentials; nil: the user's own.
    ///   - scratch: an existing directory for temporary files.
    /// - Throws: ``DeploymentError`` (`missing`) for images that this host does not have; `unavailable` where the registry does not take one.
    package func publish(
        _ images: [String], to registry: String, logins: String? = nil, scratch: String,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(DeploymentError) -> [PublishedImage] {
        try await requirePresent(images)
        do {
            return try await withCommandGroup(images, limit: 3) { (image) throws(CommandFailure) in
                let name = ImageName(image)
                let reference = name?.published(in: registry) ?? "\(registry)/\(image)"
                note("pushing \(reference)")
                let digest = try await push(image, to: reference, logins: logins, scratch: scratch)
                let repository = name?.repository(in: registry) ?? "\(registry)/\(image)"
                return PublishedImage(
                    image: image, reference: reference, pinned: digest.map { "\(repository)@\($0)" } ?? reference)
            }
        } catch {
            if error.code == .cancelled { throw DeploymentError(.cancelled, "interrupted while images were pushed") }
            throw DeploymentError(
                .unavailable, "an image could not be pushed to \(registry)", cause: error.description,
                hint:
                    "does the registry answer? A private one needs `\(kind.rawValue) login`, or the spec's image-pull-secret"
            )
        }
    }

    private func requirePresent(_ images: [String]) async throws(DeploymentError) {
        do {
            let ids = try await withCommandGroup(images, limit: 4) { (image) throws(CommandFailure) in
                try await imageID(image)
            }
            let missing = zip(images, ids).filter { $0.1 == nil }.map(\.0)
            guard !missing.isEmpty else { return }
            throw DeploymentError(
                .missing, "this host does not have \(missing.joined(separator: ", "))",
                hint: "build them: so build-containers --stack STACK")
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.unavailable, "\(kind.rawValue) does not answer", cause: "\(error)")
        }
    }

    /// Pulls images that another host published, and gives them the names of the files. Those that are here already stay.
    ///
    /// - Parameter overwrites: whether a local image of the name is replaced.
    /// - Returns: for each image whether it was fetched.
    package func fetch(
        _ images: [String], from registry: String, overwrites: Bool, logins: String? = nil,
        note: @escaping @Sendable (String) -> Void = { _ in }
    ) async throws(DeploymentError) -> [(image: PublishedImage, fetched: Bool)] {
        do {
            return try await withCommandGroup(images, limit: 3) { (image) throws(CommandFailure) in
                let reference = ImageName(image)?.published(in: registry) ?? "\(registry)/\(image)"
                let published = PublishedImage(image: image, reference: reference, pinned: reference)
                if !overwrites, try await imageID(image) != nil { return (published, false) }
                note("pulling \(reference)")
                try await pull(reference, logins: logins)
                try await tag(reference, as: image)
                return (published, true)
            }
        } catch {
            if error.code == .cancelled { throw DeploymentError(.cancelled, "interrupted while images were fetched") }
            throw DeploymentError(
                .unavailable, "an image could not be fetched from \(registry)", cause: error.description,
                hint: "was it published? so build-containers --publish-images --image-registry \(registry)")
        }
    }
}

extension LoadedDeployment {
    /// The images of the deployment that only this host has: what a cluster elsewhere can pull only after a push.
    package var localImages: [String] {
        var result: Set<String> = []
        for project in [project.project] + project.jobs.values {
            for service in project.services.values {
                let written = spec.imageOverrides[service.name]?.value ?? service.image
                let isBuilt = service.build != nil && spec.imageOverrides[service.name] == nil
                let name = written ?? "\(project.name)-\(service.name)"
                guard isBuilt || ImageName(name)?.isLocal == true else { continue }
                result.insert(name)
            }
        }
        return result.sorted()
    }
}

extension LoadedDeployment {
    /// Pushes images with the deployment's own login for the registry, if it has one.
    package func publish(
        _ images: [String], to registry: String, engine: ImageEngine, note: @escaping @Sendable (String) -> Void
    ) async throws(DeploymentError) -> [PublishedImage] {
        let logins = try RegistryLogins(model)
        defer { logins?.remove() }
        return try await engine.publish(
            images, to: registry, logins: logins?.file(for: registry + "/image"), scratch: directory.stateDirectory,
            note: note)
    }
}

/// Whether a text names a registry, with or without a path.
package func isRegistry(_ text: String) -> Bool {
    guard let name = ImageName(ImageName(path: "x").repository(in: text)) else { return false }
    return name.registry != nil && name.tag == nil
}
