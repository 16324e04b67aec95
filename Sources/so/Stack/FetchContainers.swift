import ArgumentParser
import Deployments
import Rendering
import Runtimes
import Specs
import YAML

/// `so fetch-containers`.
struct FetchContainers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch-containers", abstract: "Pull a stack's images from a registry, instead of building them.",
        discussion: """
            What `so build-containers --publish-images` pushed on another host is pulled and tagged <name>:local, as if it \
            had been built here. An image that is here already stays, unless --force-local-overwrite is given. Log in first \
            with `podman login`; or name the user and where the token is.
            """)

    @OptionGroup var stack: StackOption
    @OptionGroup var selection: ImageSelection

    @Option(help: "The registry: host[:port][/path].")
    var imageRegistry: String

    @Option(help: "The user of the registry.")
    var registryUsername: String?

    @Option(help: "The variable that holds the user's token.")
    var registryTokenEnv: String?

    @Option(help: "The file that holds the user's token.")
    var registryTokenFile: String?

    @Option(help: .hidden)
    var registryToken: String?

    @Flag(help: "Replace images that are here already.")
    var forceLocalOverwrite = false

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func validate() throws {
        if registryUsername == nil, registryTokenEnv != nil || registryTokenFile != nil || registryToken != nil {
            throw ValidationError("a token needs --registry-username")
        }
    }

    func run() async throws {
        let request = try request()
        let images = try Host.deployments.imagesToFetch(request)
        if images.isEmpty { return Terminal.note("\(stack.stack) names no images under `containers`") }
        if global.dryRun {
            return images.forEach {
                Terminal.output("pull  \(ImageName($0)?.published(in: request.registry) ?? $0) as \($0)\n")
            }
        }
        let progress = Progress(global: global)
        let results = try await Host.deployments.fetchImages(request) { progress.handle($0) }
        Table(
            columns: ["image", "state", "from"],
            rows: results.map {
                [.string($0.image.image), .string($0.fetched ? "fetched" : "present"), .string($0.image.reference)]
            }
        ).print(output.format)
        guard !global.quiet, results.contains(where: { !$0.fetched }) else { return }
        Terminal.note("images that were here already stay: --force-local-overwrite replaces them")
    }

    private func request() throws -> FetchImages {
        var request = FetchImages(stack: stack.stack, registry: try Registry.checked(imageRegistry))
        request.filter = selection.filter
        request.engine = selection.engine
        request.overwrites = forceLocalOverwrite
        request.login = registryUsername.map {
            RegistryCredential(
                server: request.registry, username: $0, tokenEnvironment: registryTokenEnv, tokenFile: registryTokenFile
            )
        }
        request.token = registryToken
        if registryToken != nil {
            Terminal.note(
                "warning: --registry-token shows the token in the list of processes"
                    + hintLine("use --registry-token-env or --registry-token-file"))
        }
        return request
    }
}
