import Compose
import Deployments
import FoundationEssentials
import Glibc
import Runtimes
import Specs
import Stacks

/// What the operator's machine brings in: environment, directories, stacks.
enum Host {
    /// The operator's environment; only the names in a spec's `env-from-host` are used as values.
    static var environment: [String: String] { ProcessInfo.processInfo.environment }

    static var workingDirectory: String { FileManager.default.currentDirectoryPath }

    /// The deployment directory that one stands in, else that of SO_DEPLOYMENT_DIR.
    static var deployment: String? {
        findDeployment(workingDirectory: workingDirectory, environment: environment, tree: .disk)
    }

    static func layerOptions() -> LayerOptions { deployments.host.layerOptions }

    /// Where stacks are looked for.
    static func resolver() throws -> StackResolver { try deployments.host.resolver() }

    /// What opens and runs deployments on this host.
    static let deployments: DeploymentService = {
        var host = DeploymentHost(
            environment: environment, workingDirectory: workingDirectory, executable: executable)
        host.toolVersion = Version.description
        return DeploymentService(host)
    }()

    /// Reads the deployment that a command is about, without changing anything.
    static func read(_ option: DirectoryOption, global: GlobalOptions) throws -> DirectoryDeployment {
        let deployment = try deployments.read(option.open())
        Diagnoses.warn(deployment.accessWarnings, global: global)
        return deployment
    }

    /// Opens the deployment that a command looks at, or works in. Errors of its files are told, and keep nobody from what runs.
    static func look(_ option: DirectoryOption, global: GlobalOptions) async throws -> RunningDeployment {
        let deployment = try await deployments.look(option.open())
        Diagnoses.warn(deployment.accessWarnings, global: global)
        if !deployment.problems.isEmpty {
            Diagnoses.print(deployment.problems)
            Terminal.note("the deployment's files have errors: what runs is found by its labels")
        }
        return deployment
    }

    /// The data that `so` comes with: the directory that holds stacks/ and config/.
    static func dataDirectory() throws -> String? { try deployments.host.locations().builtInRoot }

    /// This very program, links followed.
    static var executable: String? {
        guard let path = realpath("/proc/self/exe", nil) else { return CommandLine.arguments.first }
        defer { free(path) }
        return String(cString: path)
    }

    /// What `so` keeps on this host beside the deployments.
    static var stateDirectory: String { hostStateDirectory(environment) }

    /// A volume of compose's short syntax, its folder of this host absolute.
    static func absoluteVolume(_ volume: String) -> String {
        guard volume.hasPrefix(".") || volume.hasPrefix("~/") else { return volume }
        let parts = volume.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let home = environment["HOME"] ?? "/"
        let path = parts[0].hasPrefix("~/") ? home + parts[0].dropFirst(1) : Files.absolute(String(parts[0]))
        return ([path] + parts.dropFirst().map(String.init)).joined(separator: ":")
    }
}
