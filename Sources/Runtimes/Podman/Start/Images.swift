import ExternalTools
import Specs

/// Makes sure that every image exists before anything is started or removed.
struct Images: Sendable {
    let podman: Podman
    let model: DeploymentModel
    /// Instead of the services' own pull policies.
    var choice: PullChoice?
    let events: EventHandler

    /// The images by name, those that had to be pulled included.
    func provide(
        for plan: PodmanPlan, existing: [String: PodmanImageRecord]
    ) async throws(DeploymentError) -> [String: PodmanImageRecord] {
        let wanted = wanted(plan, existing)
        guard !wanted.isEmpty else { return existing }
        let failures: [ServiceFailure?]
        let logins = try RegistryLogins(model)
        defer { logins?.remove() }
        do {
            failures = try await withCommandGroup(wanted, limit: 4) { (want) throws(CommandFailure) in
                try await pull(want, logins)
            }
        } catch {
            throw DeploymentError(podman: error)
        }
        let real = failures.compactMap { $0 }
        guard real.isEmpty else {
            var error = DeploymentError(.failed, "an image is missing: nothing was started or stopped")
            error.failures = real
            throw error
        }
        do {
            return existing.merging(try await podman.inspect(images: wanted.map(\.image))) { $1 }
        } catch {
            throw DeploymentError(podman: error)
        }
    }

    /// Makes sure of one image that no service runs.
    ///
    /// - Parameter owner: whom a failure is told of.
    func provide(_ image: String, for owner: String, hint: String) async throws(DeploymentError) {
        do {
            guard try await podman.inspect(images: [image]).isEmpty else { return }
            let logins = try RegistryLogins(model)
            defer { logins?.remove() }
            guard var failure = try await pull(ImageRequest(image: image, workload: owner, mayPull: true), logins)
            else {
                return
            }
            failure.hint = hint
            var error = DeploymentError(.failed, "an image is missing: nothing was started or stopped")
            error.failures = [failure]
            throw error
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
    }

    private struct ImageRequest: Sendable {
        var image: String
        var workload: String
        var mayPull: Bool
    }

    /// Each image that lacks, and each that is to be asked for again by a pod that is made.
    private func wanted(_ plan: PodmanPlan, _ existing: [String: PodmanImageRecord]) -> [ImageRequest] {
        var wants: [String: ImageRequest] = [:]
        for decision in plan.decisions {
            // What stays as it is has its image.
            guard [.create, .replace].contains(decision.action) || choice == .always else { continue }
            for container in decision.pod.all where wants[container.image] == nil {
                let isBuilt = model.buildCommands[container.image] != nil
                let refresh = choice.map { $0 == .always && !isBuilt } ?? (container.pullPolicy == "Always")
                guard existing[container.image] == nil || refresh else { continue }
                let mayPull = choice.map { $0 != .never } ?? (container.pullPolicy != "Never")
                wants[container.image] = ImageRequest(
                    image: container.image, workload: decision.pod.workload, mayPull: mayPull)
            }
        }
        return wants.values.sorted { $0.image < $1.image }
    }

    private func pull(_ want: ImageRequest, _ logins: RegistryLogins?) async throws(CommandFailure) -> ServiceFailure? {
        let name = ImageName.qualified(want.image)
        let fetch = "podman pull \(shellQuoted(name))"
        let hint =
            model.buildCommands[want.image].map { "build it: \($0); or fetch it: \(fetch)" }
            ?? "correct the image's name, or fetch it: \(fetch)"
        guard want.mayPull else {
            return ServiceFailure(
                want.workload, .imageMissing,
                "the image \(want.image) is not on this host, and \(choice == nil ? "pull_policy" : "--pull never") forbids to pull it",
                hint: hint)
        }
        events(Event(want.workload, .pulling(image: want.image)))
        let output = try await podman.command(
            PodmanArguments.pull(name, logins: logins?.file(for: name), isLoopback: ImageName.isLoopback(name))
        ).result()
        guard output.status != 0 else { return nil }
        let words = output.standardError.split(separator: "\n").suffix(5).map(String.init)
        return ServiceFailure(
            want.workload, .imageMissing, "the image \(want.image) is not on this host and cannot be pulled",
            hint: hint,
            log: words)
    }
}
