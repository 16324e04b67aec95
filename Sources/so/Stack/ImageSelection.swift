import ArgumentParser
import Deployments
import ExternalTools
import Stacks

/// The options that choose among a stack's images.
struct ImageSelection: ParsableArguments {
    @Option(help: "Only these images, comma-separated: cerc/foundry or foundry.")
    var include: String?

    @Option(help: "All but these images, comma-separated.")
    var exclude: String?

    @Option(help: "podman or docker (default: podman where it is installed).")
    var engine: ImageEngine.Kind?

    /// - Throws: ``DeploymentError`` (`missing`) for a name that no image has.
    func chosen(_ names: [String]) throws -> [String] {
        let included = include.map(SetupRepositories.list)
        let excluded = exclude.map(SetupRepositories.list) ?? []
        for name in (included ?? []) + excluded where !names.contains(where: { Self.goes($0, by: name) }) {
            throw DeploymentError(
                .missing, "the stack has no image \(name)",
                hint: names.isEmpty ? "it builds none" : "its images are \(names.sorted().joined(separator: ", "))")
        }
        return names.filter { image in
            included?.contains { Self.goes(image, by: $0) } ?? true && !excluded.contains { Self.goes(image, by: $0) }
        }
    }

    private static func goes(_ image: String, by name: String) -> Bool {
        let bare = ImageName(image)?.path ?? image
        return image == name || bare == name || bare.hasSuffix("/" + name)
    }
}

extension ImageEngine.Kind: ExpressibleByArgument {}

/// The registry that images go to or come from.
enum Registry {
    /// - Throws: a usage error for a text that is no registry.
    static func checked(_ text: String) throws -> String {
        guard let name = ImageName(ImageName(path: "x").repository(in: text)), name.registry != nil, name.tag == nil
        else {
            throw ValidationError(
                "`\(text)` is no registry: write host[:port][/path], such as registry.example.com/team")
        }
        return text
    }
}
