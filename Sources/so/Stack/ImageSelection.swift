import ArgumentParser
import Deployments
import ExternalTools
import Runtimes
import Specs

/// The options that choose among a stack's images.
struct ImageSelection: ParsableArguments {
    @Option(help: "Only these images, comma-separated: cerc/foundry or foundry.")
    var include: String?

    @Option(help: "All but these images, comma-separated.")
    var exclude: String?

    @Option(help: "podman or docker (default: podman where it is installed).")
    var engine: ImageEngine.Kind?

    private var included: [String]? { include.map(SetupRepositories.list) }
    private var excluded: [String] { exclude.map(SetupRepositories.list) ?? [] }

    func chosen(_ names: [String]) -> [String] {
        names.filter { image in
            included?.contains { Self.goes(image, by: $0) } ?? true && !excluded.contains { Self.goes(image, by: $0) }
        }
    }

    /// - Throws: ``DeploymentError`` (`missing`) for a name of the options that none of the images has.
    /// - Parameter names: the images of one stack, or of every stack.
    func check(_ names: [String], ofAllStacks: Bool = false) throws {
        for name in (included ?? []) + excluded where !names.contains(where: { Self.goes($0, by: name) }) {
            throw DeploymentError(
                .missing, ofAllStacks ? "no stack has an image \(name)" : "the stack has no image \(name)",
                hint: names.isEmpty ? "none is built" : "there are \(Set(names).sorted().joined(separator: ", "))")
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
        guard isRegistry(text) else {
            throw ValidationError(
                "invalid registry `\(text)`: write host[:port][/path], such as registry.example.com/team")
        }
        return text
    }
}
