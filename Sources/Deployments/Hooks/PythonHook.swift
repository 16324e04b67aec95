import ExternalTools
import Runtimes
package import Specs
package import YAML

/// A hook of stack-orchestrator: one function of a `commands.py`, called by python3 with the objects that it expects.
///
/// The modules that it imports from stack-orchestrator are our own and know what hooks use; any other is an error naming it.
package struct PythonHook: Sendable {
    /// The name of such a file.
    static let fileName = "commands.py"

    /// `init`, `setup`, `create` or `start`.
    package var occasion: StackHook
    /// commands.py; absolute.
    package var path: String
    /// The stack's directory.
    package var stack: String
    /// The stack's compose files; absolute.
    package var composeFiles: [String]
    package var arguments: [String] = []
    /// What `deploy create --network-dir` and `--initial-peers` give.
    package var networkDirectory: String?
    package var initialPeers: String?
    /// The options of `deploy setup` by the names that the function knows.
    package var setup: [(String, Node)] = []

    package init(_ occasion: StackHook, path: String, stack: ResolvedStack) {
        self.occasion = occasion
        self.path = path
        self.stack = stack.directory
        composeFiles = stack.pods.compactMap(\.composeFile)
    }

    /// Whether a hook is one of these.
    package static func isPython(_ path: String) -> Bool { path.hasSuffix("/" + fileName) }

    /// The call. It inherits only what finding and running programs takes.
    func command(
        facts: HookFacts?, host: [String: String], environment: [String: String], workingDirectory: String
    ) -> Command {
        var command = Command(
            "python3",
            [
                "-I", "-c", Self.yamlPart + "\n\n" + Self.objectsPart + "\n\n" + Self.callerPart, occasion.rawValue,
                path,
            ],
            host: host, environment: environment, workingDirectory: workingDirectory,
            input: Array(document(facts).json(pretty: false).utf8))
        command.inherited = VariableSelection(names: Self.passed)
        return command
    }

    private static let passed: Set<String> = [
        "PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_DATA_HOME", "XDG_CONFIG_HOME",
        "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "REGISTRY_AUTH_FILE", "CERC_REPO_BASE_DIR", "SO_REPO_BASE_DIR",
    ]

    private func document(_ facts: HookFacts?) -> Node {
        func text(_ value: String?) -> Node { value.map { .string($0) } ?? .plain("null") }
        return .map([
            ("so", .string(Files.canonical("/proc/self/exe"))), ("stack", .string(stack)),
            ("composeFiles", .list(composeFiles.map { .string($0) })),
            ("directory", text(facts?.directory)), ("clusterID", text(facts?.identity.clusterID)),
            ("deploymentID", text(facts?.identity.deploymentID)),
            ("arguments", .list(arguments.map { .string($0) })), ("networkDirectory", text(networkDirectory)),
            ("initialPeers", text(initialPeers)), ("setup", .map(setup)), ("debug", .plain("false")),
        ])
    }
}
