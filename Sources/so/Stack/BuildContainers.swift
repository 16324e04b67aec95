import ArgumentParser
import Compose
import Deployments
import ExternalTools
import Runtimes
import Specs
import Stacks
import YAML

/// `so build-containers`.
struct BuildContainers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build-containers", abstract: "Build the images of a stack, or of every stack.",
        discussion: """
            Those are the `containers` of its stack.yml and the `build:` sections of its compose files. An image of \
            `containers` is built by container-build/<name with - for />/build.sh, Containerfile or Dockerfile (the stack's own \
            before built-in ones), else from the Containerfile of the fetched repository that is called like it, and is \
            tagged <name>:local. Images are built after those that they build on, several at a time; what did not change \
            comes from the engine's cache. The whole output of every build is kept in a file, and its end is shown where it \
            fails.

            A build.sh gets SO_CONTAINER_ENGINE, SO_CONTAINER_TAG (what it must build), SO_EXTRA_BUILD_ARGS and \
            SO_REPO_BASE_DIR. For scripts of the predecessor its CERC_* variables are set, its flat layout of repositories is \
            there, and `docker` is the engine in use.
            """)

    @OptionGroup var stack: StacksOption
    @OptionGroup var selection: ImageSelection

    @Option(help: "A spec whose config and overrides the `build:` sections see.")
    var specFile: String?

    @Flag(help: "Rebuild every layer.")
    var forceRebuild = false

    @Option(parsing: .unconditional, help: "Arguments for the engine's build command, separated by blanks.")
    var extraBuildArgs: String?

    @Flag(help: "Push what was built to --image-registry.")
    var publishImages = false

    @Option(help: "The registry for --publish-images: host[:port][/path].")
    var imageRegistry: String?

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if specFile != nil, stack.stack == nil { throw ValidationError("--spec-file goes with --stack") }
        if publishImages, imageRegistry == nil { throw ValidationError("--publish-images needs --image-registry") }
    }

    func run() async throws {
        let registry = try imageRegistry.map(Registry.checked)
        let resolver = try Host.resolver()
        let engine = try ImageEngine.find(selection.engine, path: Host.environment["PATH"])
        var failed: [String] = []
        var images: [String] = []
        for resolved in try stack.resolved(resolver) {
            do {
                images += try await build(resolved, resolver, engine, registry)
            } catch  where stack.stack == nil && !Task.isCancelled {
                // The others are built all the same.
                Terminal.note("\(resolved.name): \(error)")
                failed.append(resolved.name)
            }
        }
        guard failed.isEmpty else {
            throw DeploymentError(
                .failed, "not everything was built of \(failed.joined(separator: ", "))",
                hint: "so build-containers --stack \(failed[0]) shows one alone")
        }
        if stack.stack == nil { try selection.check(images, ofAllStacks: true) }
    }

    /// - Returns: the images of the stack, those that were not chosen too.
    private func build(
        _ resolved: ResolvedStack, _ resolver: StackResolver, _ engine: ImageEngine, _ registry: String?
    ) async throws -> [String] {
        try await Host.withScratch("so-build") { scratch in
            let workspace = try BuildWorkspace(
                scratch, stack: resolved, base: resolver.locations.repositoryBase, engine: engine)
            var options = ImageBuild.Options(
                repositoryBase: resolver.locations.repositoryBase, engine: engine, workspace: workspace)
            options.forceRebuild = forceRebuild
            if let path = Host.environment["PATH"] { options.searchPath = path }
            options.isDebugging = global.debug
            options.extraArguments = (extraBuildArgs ?? "").split(separator: " ").map(String.init)
            let (images, builds) = try builds(resolved, options)
            guard !builds.isEmpty else {
                if images.isEmpty { Terminal.note("\(resolved.name) has no images to build") }
                return images
            }
            guard !global.dryRun else {
                for build in builds { Terminal.output("\(build.command)\n") }
                return images
            }
            let states = try await BuildRun(builds, engine: engine, logDirectory: Host.stateDirectory + "/builds")
                .report(global)
            try await finish(builds, states, engine, registry, scratch)
            return images
        }
    }

    /// - Returns: the images of the stack, and the builds of those that are chosen.
    private func builds(
        _ resolved: ResolvedStack, _ options: ImageBuild.Options
    ) throws -> (images: [String], builds: [ImageBuild]) {
        let sections = try serviceBuilds(resolved, options)
        let images = resolved.containers.map(\.image) + sections.map(\.image)
        if stack.stack != nil { try selection.check(images) }
        let chosen = Set(selection.chosen(images))
        let containers = try resolved.containers.filter { chosen.contains($0.image) }.map {
            build throws(DeploymentError) in
            try ImageBuild(build, options: options)
        }
        let known = Set(containers.map(\.tag))
        return (images, containers + sections.filter { chosen.contains($0.image) && !known.contains($0.tag) })
    }

    /// The `build:` sections; a stack whose compose files cannot be read yet, because a repository lacks, is told as such.
    private func serviceBuilds(_ resolved: ResolvedStack, _ options: ImageBuild.Options) throws -> [ImageBuild] {
        var diagnostics = Diagnostics()
        var layering = Host.layerOptions()
        layering.requiresInputs = false
        var spec = Spec(file: "(no spec)", directory: resolved.directory)
        if let specFile { spec = try loadSpec(Files.absolute(specFile), tree: .disk).spec }
        let project = layer(resolved, spec: spec, options: layering, tree: .disk, diagnostics: &diagnostics)
        guard let project else {
            // The images of `containers` do not need the compose files.
            if resolved.containers.isEmpty { throw InvalidInput(diagnostics.list) }
            Diagnoses.warn(diagnostics.list, global: global)
            return []
        }
        var found = Diagnostics()
        let builds = ImageBuild.ofServices(project, options: options, diagnostics: &found)
        try found.throwIfErrors()
        return builds
    }

    private func finish(
        _ builds: [ImageBuild], _ states: BuildStates, _ engine: ImageEngine, _ registry: String?, _ scratch: String
    ) async throws {
        var published: [String: PublishedImage] = [:]
        if publishImages, let registry {
            let isQuiet = global.quiet
            for image in try await engine.publish(
                builds.map(\.tag), to: registry, scratch: scratch, note: { if !isQuiet { Terminal.note($0) } })
            {
                published[image.image] = image
            }
        }
        Table(
            columns: ["image", "state"] + (publishImages ? ["published", "digest"] : []),
            rows: builds.map { build in
                let image = published[build.tag]
                return [.string(build.tag), .string(states.get(build.tag))]
                    + (publishImages ? [.string(image?.reference ?? ""), .string(image?.pinned ?? "")] : [])
            }
        ).print(output.format)
    }
}
