import Compose
import FoundationEssentials
import Glibc
import Stacks

/// What the operator's machine brings in: environment, directories, stacks.
enum Host {
    /// The operator's environment; only the names in a spec's `env-from-host` are used as values.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    static var workingDirectory: String { FileManager.default.currentDirectoryPath }

    static func layerOptions() -> LayerOptions {
        var options = LayerOptions(hostEnvironment: environment)
        options.homeDirectory = environment["HOME"]
        return options
    }

    /// Where stacks are looked for.
    static func resolver() throws -> StackResolver {
        StackResolver(
            locations: try StackLocations(
                environment: environment, executable: executable, workingDirectory: workingDirectory, tree: .disk))
    }

    private static var executable: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return CommandLine.arguments.first }
        defer { free(path) }
        return String(cString: path)
    }
}
