import ArgumentParser
import Deployments
import Specs
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
            SO_REPO_BASE_DIR. For scripts of stack-orchestrator its CERC_* variables are set, its flat layout of repositories is \
            there, and `docker` is the engine in use.
            """)

    @OptionGroup var stack: StacksOption
    @OptionGroup var selection: ImageSelection

    @Option(help: "A spec whose config and overrides the `build:` sections see.")
    var specFile: String?

    @Flag(help: "Rebuild every layer.")
    var forceRebuild = false

    @Option(parsing: .unconditional, help: "Arguments for the engine's build command, separated by spaces.")
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
        let request = try request()
        let progress = Progress(global: global)
        if global.dryRun {
            return try await Host.deployments.previewBuild(request) {
                progress.handle($0)
            } found: { stack in
                noteNone(stack)
                for image in stack.images { Terminal.output("\(image.command)\n") }
            }
        }
        try await Host.deployments.buildImages(request) {
            progress.handle($0)
        } built: {
            print($0)
        }
    }

    private func request() throws -> BuildRequest {
        var request = BuildRequest(stack: stack.stack)
        request.filter = selection.filter
        request.engine = selection.engine
        request.specFile = specFile
        request.forceRebuild = forceRebuild
        request.extraArguments = (extraBuildArgs ?? "").split(separator: " ").map(String.init)
        let registry = try imageRegistry.map(Registry.checked)
        request.registry = publishImages ? registry : nil
        request.isDebugging = global.debug
        return request
    }

    private func noteNone(_ stack: StackBuild) {
        if stack.names.isEmpty { Terminal.note("\(stack.stack.name) has no images to build") }
    }

    private func print(_ stack: StackBuild) {
        noteNone(stack)
        guard !stack.images.isEmpty else { return }
        Table(
            columns: ["image", "state"] + (publishImages ? ["published", "digest"] : []),
            rows: stack.images.map { image in
                [.string(image.tag), .string(image.changed.map { $0 ? "built" : "unchanged" } ?? "")]
                    + (publishImages
                        ? [.string(image.published?.reference ?? ""), .string(image.published?.pinned ?? "")] : [])
            }
        ).print(output.format)
    }
}
