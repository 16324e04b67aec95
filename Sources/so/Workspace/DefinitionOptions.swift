import ArgumentParser
import Runtimes
import Workspaces

/// The answers that a definition is made of, as flags.
struct DefinitionOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The template of the image: a name, or a directory.", valueName: "template"))
    var template: String?

    @Option(help: ArgumentHelp("An image instead of a template.", valueName: "image"))
    var image: String?

    @Option(
        name: .customLong("language"),
        help: ArgumentHelp("A language, such as python=3.12: \(Language.all.listing).", valueName: "name=version"))
    var languages: [String] = []

    @Option(
        name: .customLong("tool"),
        help: ArgumentHelp(
            "A tool: \(Tool.all.map(\.name).joined(separator: ", ")), or apt:PACKAGE.", valueName: "tool"))
    var tools: [String] = []

    @Option(
        name: .customLong("database"),
        help: ArgumentHelp(
            "A database beside the agent: \(Database.Kind.allCases.map(\.rawValue).joined(separator: ", ")); =VERSION, or =host.",
            valueName: "name"))
    var databases: [String] = []

    @Option(
        name: .customLong("framework"),
        help: ArgumentHelp(
            "A framework: \(Framework.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "name"))
    var frameworks: [String] = []

    @Option(help: ArgumentHelp("The coding CLI, such as claude-code.", valueName: "agent"))
    var agent: String?

    @Option(help: ArgumentHelp("A compose file whose services run beside the agent.", valueName: "file"))
    var compose: [String] = []

    @Option(name: .customLong("port"), help: ArgumentHelp("A port that gets a URL.", valueName: "port"))
    var ports: [Int] = []

    @Option(help: ArgumentHelp("A shell command to run once in each checkout.", valueName: "command"))
    var setup: [String] = []

    @Option(help: ArgumentHelp("A host's name that the pod may reach.", valueName: "name"))
    var allow: [String] = []

    @Option(help: ArgumentHelp("CPUs of the pod, such as 4.", valueName: "cpus"))
    var cpus: String?

    @Option(help: ArgumentHelp("Memory of the pod, such as 8Gi.", valueName: "size"))
    var memory: String?

    @Option(help: ArgumentHelp("Disk of the checkout, such as 20Gi.", valueName: "size"))
    var disk: String?

    @Option(help: ArgumentHelp("The user and group ids that the pod runs as.", valueName: "uid:gid"))
    var user: String?

    @Flag(inversion: .prefixedNo, help: "Keep the workspace running when the last terminal is closed.")
    var keepRunning: Bool?

    @Option(name: .customLong("set"), help: ArgumentHelp("A variable of the template.", valueName: "NAME=value"))
    var variables: [String] = []

    @Option(help: ArgumentHelp("A file with variables of the template.", valueName: "file"))
    var envFile: String?

    var flags: DefinitionFlags {
        var flags = DefinitionFlags()
        flags.template = template
        flags.image = image
        flags.languages = languages
        flags.tools = tools
        flags.databases = databases
        flags.frameworks = frameworks
        flags.agent = agent
        flags.compose = compose
        flags.ports = ports
        flags.setup = setup
        flags.allow = allow
        (flags.cpus, flags.memory, flags.disk, flags.user) = (cpus, memory, disk, user)
        flags.keepsRunning = keepRunning
        flags.variables = variables
        flags.variableFile = envFile.map(Files.absolute)
        return flags
    }
}

extension Host {
    /// What this machine brings into workspaces.
    static func workspaces() throws -> WorkspaceContext {
        WorkspaceContext(
            environment: environment, dataDirectory: try dataDirectory(), executable: executable,
            deployments: deployments)
    }
}
