import ArgumentParser
import Compose
import Deployments
import ExternalTools
import OrderedCollections
import Stacks
import YAML

/// The way from a place to a deployment directory that can be started.
struct ProjectStart {
    /// Which images are built before.
    enum Builds {
        case always, missing, never
    }

    let place: PlaceOptions
    let global: GlobalOptions
    /// How many replicas are asked for by service, over the files.
    var scale: [String: Int] = [:]

    /// Makes or refreshes the deployment of what one stands in, and builds its images.
    ///
    /// - Parameter refreshes: whether what runs already is taken as the files and the environment are now.
    func prepared(
        _ services: [String], builds: Builds, refreshes: Bool = true
    ) async throws -> DeploymentDirectory {
        let (found, tree) = try place.find()
        switch found {
        case .deployment(let path):
            try refuseScale()
            return try DeploymentDirectory.open(path)
        case .stack(let path):
            try refuseScale()
            return try await prepareStack(path)
        case .project(var found):
            found.scale = scale
            let project = try OwnProject(found, services: services, options: Host.layerOptions(), tree: tree)
            if let piped = found.files.first(where: { !Files.exists($0) }) {
                throw DeploymentError(
                    .unsupported, "\(lastPathComponent(piped)) can be read only once, and what runs is read again",
                    hint: "write it into a file")
            }
            try await build(project, services, builds)
            return try await keep(project, found, refreshes: refreshes)
        }
    }

    /// What a deployment runs stands in its spec.
    private func refuseScale() throws {
        guard let service = scale.keys.min() else { return }
        throw DeploymentError(
            .unsupported, "--scale is for compose projects",
            hint: "write `replicas: {\(service): \(scale[service] ?? 1)}` into the deployment's spec.yml")
    }

    private func keep(
        _ project: OwnProject, _ found: FoundProject, refreshes: Bool
    ) async throws -> DeploymentDirectory {
        let kept = try PlaceOptions.keptPlace(of: project, found)
        if kept.exists, !refreshes { return try DeploymentDirectory.open(kept.directory) }
        let directory = try DeploymentDirectory.keep(
            at: kept, source: found.directory, toolVersion: Version.description)
        let lock = try await directory.lockForChange(verb: "up")
        try directory.record(project.found)
        _ = consume lock
        return directory
    }

    private func prepareStack(_ path: String) async throws -> DeploymentDirectory {
        let up = try DeployUp.parse(["--stack", path, "--no-start"] + global.arguments)
        try await up.run()
        return try DeploymentDirectory.open(DirectOption(stack: path).existing())
    }

    private func build(_ project: OwnProject, _ services: [String], _ builds: Builds) async throws {
        guard builds != .never else { return }
        let engine = ImageEngine(.podman)
        var all = try project.builds(of: services, engine: engine)
        if builds == .missing {
            var missing: [ImageBuild] = []
            for build in all where try await engine.imageID(build.tag) == nil { missing.append(build) }
            all = missing
        }
        guard !all.isEmpty else { return }
        _ = try await BuildRun(all, engine: engine, logDirectory: Host.stateDirectory + "/builds").report(global)
    }

    /// Prints what a start would do; makes nothing.
    func preview(_ services: [String]) async throws {
        if let deployment = try place.deployment() {
            return Terminal.output(
                try await OpenDeployment(deployment, global: global).handle.plan().description + "\n")
        }
        let (found, tree) = try place.find()
        guard case .project(var found) = found else {
            return Terminal.output("create   the deployment of \(Host.workingDirectory)\n")
        }
        found.scale = scale
        let project = try OwnProject(found, services: services, options: Host.layerOptions(), tree: tree)
        Diagnoses.warn(project.warnings, global: global)
        for name in project.layered.project.services.keys { Terminal.output("create   pod      \(name)\n") }
    }
}
