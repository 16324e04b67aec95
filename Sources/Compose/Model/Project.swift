package import OrderedCollections
package import YAML

/// A compose project: every file read, interpolated, merged, normalised and checked.
///
/// Plain `String` fields never hold a secret: the loader refuses a secret variable there. Only ``TemplateText`` fields can.
package struct Project: Hashable, Sendable {
    /// Lower-case letters, digits, `-` and `_`, beginning with a letter or digit.
    package var name: String
    /// Where `name:` stands; nil if the name came from an option, `.env` or the directory.
    package var nameMark: Mark?
    /// The directory that relative paths resolve against; absolute.
    package var directory: String
    /// The files that were read as compose files, includes and extends too; absolute, in the order in which they were read.
    package var files: [String]
    /// The active services in the order of the files.
    package var services: OrderedDictionary<String, Service> = [:]
    /// Services that no active profile enables.
    package var disabledServices: OrderedDictionary<String, Service> = [:]
    package var networks: OrderedDictionary<String, Network> = [:]
    package var volumes: OrderedDictionary<String, Volume> = [:]
    package var configs: OrderedDictionary<String, Config> = [:]
    package var secrets: OrderedDictionary<String, Secret> = [:]
    package var models: OrderedDictionary<String, Model> = [:]
    /// The top level's `x-*` keys.
    package var extensions: OrderedDictionary<String, Node> = [:]
    /// The profiles that were asked for.
    package var profiles: [String] = []
    /// For the place of each scalar that was interpolated, the variables that it names, in order.
    package var interpolations: [Mark: [VariableUse]] = [:]
    /// The variables without a default that nothing sets, by the place of each value that names some.
    package var unsetVariables: [Mark: [UnsetVariable]] = [:]
    /// Every variable name that some scalar refers to, with the place of its first reference; a name that occurs only inside
    /// an unused default does not count.
    package var referencedVariables: OrderedDictionary<String, Mark> = [:]
    /// The variables of the project directory's `.env`.
    package var dotEnv: VariableScope = VariableScope()
    /// Every path of the host that the project refers to.
    package var referencedPaths: [ReferencedPath] = []

    package init(name: String, directory: String = "/", files: [String] = []) {
        self.name = name
        self.directory = directory
        self.files = files
    }
}

/// A path of the host that a project refers to.
package struct ReferencedPath: Hashable, Sendable {
    /// What the path is for.
    package enum Role: String, Hashable, Sendable, CaseIterable {
        case composeFile = "compose file"
        case include = "include"
        case extends = "extends"
        case dotEnv = ".env"
        case envFile = "env_file"
        case labelFile = "label_file"
        case bind = "bind mount"
        case volumeDevice = "volume device"
        case config = "config"
        case secret = "secret"
        case buildContext = "build context"
        case dockerfile = "dockerfile"
        case additionalContext = "additional build context"
        case credentialSpec = "credential_spec"
        case watch = "develop.watch"
    }

    /// Absolute.
    package var path: String
    /// The path as written, after interpolation.
    package var written: String
    package var role: Role
    package var mark: Mark
    /// The service that names it, if a service does.
    package var service: String?

    package init(path: String, written: String, role: Role, mark: Mark, service: String? = nil) {
        self.path = path
        self.written = written
        self.role = role
        self.mark = mark
        self.service = service
    }
}
