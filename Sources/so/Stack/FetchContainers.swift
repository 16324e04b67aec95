import ArgumentParser
import Deployments
import ExternalTools
import Runtimes
import Specs
import Stacks
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
        let registry = try Registry.checked(imageRegistry)
        let resolved = try Host.resolver().resolve(stack.stack)
        let all = resolved.containers.map(\.image)
        try selection.check(all)
        let names = selection.chosen(all)
        let images = names.map { $0.contains(":") ? $0 : "\($0):local" }
        if images.isEmpty { return Terminal.note("\(resolved.name) names no images under `containers`") }
        if global.dryRun {
            return images.forEach {
                Terminal.output("pull  \(ImageName($0)?.published(in: registry) ?? $0) as \($0)\n")
            }
        }
        let engine = try ImageEngine.find(selection.engine, path: Host.environment["PATH"])
        let isQuiet = global.quiet
        try await Host.withScratch("so-fetch") { scratch in
            let logins = try logins(registry, scratch)
            let results = try await engine.fetch(
                images, from: registry, overwrites: forceLocalOverwrite, logins: logins,
                note: { if !isQuiet { Terminal.note($0) } })
            Table(
                columns: ["image", "state", "from"],
                rows: results.map {
                    [.string($0.image.image), .string($0.fetched ? "fetched" : "present"), .string($0.image.reference)]
                }
            ).print(output.format)
            guard !global.quiet, results.contains(where: { !$0.fetched }) else { return }
            Terminal.note("images that were here already stay: --force-local-overwrite replaces them")
        }
    }

    private func logins(_ registry: String, _ scratch: String) throws -> String? {
        guard let user = registryUsername else { return nil }
        if registryToken != nil {
            Terminal.note(
                "warning: --registry-token shows the token in the list of processes"
                    + hintLine("use --registry-token-env or --registry-token-file")
            )
        }
        let token =
            try registryToken ?? registryTokenEnv.flatMap { Host.environment[$0] }
            ?? registryTokenFile.map { String(decoding: try Files.read($0), as: UTF8.self).filter { !$0.isNewline } }
        guard let token, !token.isEmpty else {
            throw DeploymentError(
                .missing, "no token for \(user) at \(registry)",
                hint: "set the variable of --registry-token-env, or name a file with --registry-token-file")
        }
        return try RegistryLogins.write(server: registry, username: user, token: token, to: scratch + "/logins.json")
    }
}
