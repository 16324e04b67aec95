import ArgumentParser
import Deployments
import ExternalTools
import Stacks

/// `so build-containers`.
struct BuildContainers: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "build-containers", abstract: "Build the images that a stack's `containers` names.",
        discussion:
            "Each is built by container-build/<name with - for />/build.sh, Containerfile or Dockerfile, as <name>:local."
    )

    @OptionGroup var stack: StackOption

    @Option(help: "Only these images, comma-separated.")
    var include: String?

    @Option(help: "All but these images, comma-separated.")
    var exclude: String?

    @Flag(help: "Build every layer anew.")
    var forceRebuild = false

    @Option(parsing: .unconditional, help: "Arguments for the engine's build command, separated by blanks.")
    var extraBuildArgs: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let resolver = try Host.resolver()
        let resolved = try resolver.resolve(stack.stack)
        var options = ImageBuild.Options(repositoryBase: resolver.locations.repositoryBase)
        options.forceRebuild = forceRebuild
        options.extraArguments = (extraBuildArgs ?? "").split(separator: " ").map(String.init)
        let podman = Podman()
        let builds = try selected(resolved.containers).map { build throws(DeploymentError) in
            try ImageBuild(build, podman: podman, options: options)
        }
        if builds.isEmpty { return Terminal.note("\(resolved.name) has no images to build") }
        for build in builds { try await run(build) }
    }

    private func run(_ build: ImageBuild) async throws {
        if global.dryRun { return Terminal.output("\(build.command)\n") }
        let isLoud = global.verbose || global.debug
        if !global.quiet { Terminal.note("building \(build.tag)") }
        try await build.run { if isLoud { Terminal.note("  \($0)") } }
        if !global.quiet { Terminal.note("built    \(build.tag)") }
    }

    private func selected(_ containers: [ContainerBuild]) throws -> [ContainerBuild] {
        let names = Set(containers.map(\.image))
        let (included, excluded) = (list(include), list(exclude))
        for name in (included ?? []) + (excluded ?? []) where !names.contains(name) {
            throw DeploymentError(
                .missing, "the stack has no image \(name)",
                mend: "its images are \(names.sorted().joined(separator: ", "))")
        }
        return containers.filter { included?.contains($0.image) ?? true && !(excluded?.contains($0.image) ?? false) }
    }

    private func list(_ text: String?) -> [String]? {
        text?.split(separator: ",").map { String($0.filter { $0 != " " }) }
    }
}
