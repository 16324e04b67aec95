package import Deployments
import ExternalTools
import FoundationEssentials
import OrderedCollections
import Runtimes

/// The images of workspaces in the store of an engine.
package struct WorkspaceImages: Sendable {
    /// On every image of a workspace.
    package static let label = "so.workspace.image"
    /// The label's value on what is built of a project's own Containerfiles: for its workspace's image, or for a companion.
    static let base = "base"
    /// On every image of the egress.
    static let egress = "io.so.egress"

    /// One image.
    package struct Listing: Hashable, Sendable {
        package var tag: String
        package var source: String
        package var languages: String
        package var agent: String
        /// In bytes.
        package var size: Int64
        package var created: String
    }

    /// What sessions and workspaces name.
    package struct InUse: Hashable, Sendable {
        package var tags: Set<String>
        /// Whether the images of companions are among them: records of an older so name none.
        package var isComplete: Bool

        package init(tags: Set<String>, isComplete: Bool = true) {
            self.tags = tags
            self.isComplete = isComplete
        }
    }

    package let engine: ImageEngine
    /// Where the output of builds is kept; absolute.
    package let logDirectory: String
    /// A directory for build contexts; absolute.
    package let scratch: String

    package init(engine: ImageEngine, stateDirectory: String, scratch: String) {
        self.engine = engine
        logDirectory = stateDirectory + "/workspace-builds"
        self.scratch = scratch
    }

    /// Whether the engine has the image: the same inputs are never built twice.
    package func has(_ recipe: ImageRecipe) async throws -> Bool { try await engine.imageID(recipe.tag) != nil }

    /// Builds the image where the engine does not have it.
    ///
    /// - Parameter updates: build it again, with the newest base image and packages.
    /// - Throws: `DeploymentError` (`failed`) with the build's last lines. An older image of another tag stays as it is.
    package func build(
        _ recipe: ImageRecipe, updates: Bool = false, network: BuildNetwork = .usual,
        events: @escaping @Sendable (BuildEvent) -> Void = { _ in }
    ) async throws {
        if !updates, try await has(recipe) { return }
        let directory = "\(scratch)/so-image-\(UInt64.random(in: 0 ... .max))"
        try Files.makeDirectory(directory, mode: 0o700)
        defer { try? Files.remove(directory) }
        try write(recipe, to: directory)
        var builds: [ImageBuild] = []
        if let base = recipe.base { builds.append(build(base, updates, network)) }
        var build = ImageBuild(
            image: recipe.tag, tag: recipe.tag, command: engine.command(arguments(recipe, directory, updates, network)))
        build.bases = recipe.base.map { [$0.tag] } ?? []
        builds.append(build)
        try await BuildRun(builds, engine: engine, logDirectory: logDirectory).run(events: events)
    }

    /// Builds images of the project's own Containerfiles where the engine does not have them; `building` is told the tag of each first.
    package func provide(
        _ bases: [BaseBuild], network: BuildNetwork = .usual, building: (String) -> Void
    ) async throws {
        for base in bases where try await engine.imageID(base.tag) == nil {
            building(base.tag)
            try await BuildRun([build(base, false, network)], engine: engine, logDirectory: logDirectory).run { _ in }
        }
    }

    private func build(_ base: BaseBuild, _ updates: Bool, _ network: BuildNetwork) -> ImageBuild {
        var arguments = [
            "build", "--tag", base.tag, "--file", base.containerfile, "--label", "\(Self.label)=\(Self.base)",
        ]
        arguments += network.arguments
        if updates { arguments += ["--no-cache"] }
        if let target = base.target { arguments += ["--target", target] }
        for (name, value) in base.arguments { arguments += ["--build-arg", "\(name)=\(value)"] }
        return ImageBuild(image: base.tag, tag: base.tag, command: engine.command(arguments + [base.context]))
    }

    private func arguments(
        _ recipe: ImageRecipe, _ directory: String, _ updates: Bool, _ network: BuildNetwork
    ) -> [String] {
        var arguments = ["build", "--tag", recipe.tag, "--file", "\(directory)/Containerfile"] + network.arguments
        if updates { arguments += ["--no-cache"] }
        for (name, value) in recipe.labels { arguments += ["--label", "\(name)=\(value)"] }
        for (name, value) in recipe.buildArguments { arguments += ["--build-arg", "\(name)=\(value)"] }
        return arguments + ["\(directory)/context"]
    }

    private func write(_ recipe: ImageRecipe, to directory: String) throws {
        try Files.makeDirectory("\(directory)/context")
        try Files.write(Array(recipe.containerfile.utf8), to: "\(directory)/Containerfile")
        for (path, file) in recipe.contextFiles {
            let target = "\(directory)/context/\(path)"
            try Files.makeDirectory(Files.parent(of: target))
            switch file {
            case .bytes(let bytes, let mode): try Files.writeUnsynced(bytes, to: target, mode: mode)
            case .file(let source): try FileManager.default.copyItem(atPath: source, toPath: target)
            }
        }
    }

    /// Runs what shows that the image has what was asked for, without a network.
    ///
    /// - Returns: each check with its output and whether it succeeded.
    package func verify(_ recipe: ImageRecipe) async throws -> [(check: String, output: String, isSound: Bool)] {
        var results: [(check: String, output: String, isSound: Bool)] = []
        for check in OrderedSet(recipe.checks) {
            let output = try await engine.command(
                ["run", "--rm", "--network", "none", "--cap-drop", "all", recipe.tag, "sh", "-c", check + " 2>&1"]
            ).result()
            results.append((check, output.text, output.status == 0))
        }
        return results
    }
}
