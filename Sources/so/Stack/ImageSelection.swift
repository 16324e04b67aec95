import ArgumentParser
import Deployments

/// The options that choose among a stack's images.
struct ImageSelection: ParsableArguments {
    @Option(help: "Only these images, comma-separated: cerc/foundry or foundry.")
    var include: String?

    @Option(help: "All but these images, comma-separated.")
    var exclude: String?

    @Option(help: "podman or docker (default: podman where it is installed).")
    var engine: ImageEngine.Kind?

    var filter: ImageFilter {
        ImageFilter(included: include.map(SetupRepositories.list), excluded: exclude.map(SetupRepositories.list) ?? [])
    }
}

extension ImageEngine.Kind: ExpressibleByArgument {}

/// The registry that images go to or come from.
enum Registry {
    /// - Throws: a usage error for a text that is not a registry.
    static func checked(_ text: String) throws -> String {
        guard isRegistry(text) else {
            throw ValidationError(
                "invalid registry `\(text)`: write host[:port][/path], such as registry.example.com/team")
        }
        return text
    }
}
