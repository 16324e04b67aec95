package import OrderedCollections
package import YAML

/// A `stack.yml`: which repositories, images, pods and jobs make up a stack.
package struct StackFile: Hashable, Sendable {
    /// An entry of `pods`: a compose file, by name or as a map.
    package struct Pod: Hashable, Sendable {
        package var name: String
        /// The repository that holds the compose file, `[host/]org/repo` or a bare `repo`; nil: the stack's root does.
        package var repository: String?
        /// The directory of the compose file inside the repository.
        package var path: String?
        /// A script beside the compose file, run before the pod starts.
        package var preStartCommand: String?
        /// A script beside the compose file, run after the pod started.
        package var postStartCommand: String?
        /// Whether all services of the file share one pod.
        package var colocate: Bool = false
        package var mark: Mark

        package init(name: String, mark: Mark = .generated) {
            self.name = name
            self.mark = mark
        }
    }

    /// The source of an exported value: `service.VARIABLE`.
    package struct ConfigSource: Hashable, Sendable {
        package var service: String
        package var variable: String

        package init(service: String, variable: String) {
            self.service = service
            self.variable = variable
        }
    }

    /// The path of the file.
    package var file: String
    package var version: String?
    /// Informative: a stack goes by the name of its directory.
    package var name: String?
    package var summary: String?
    package var repositories: [Located<RepositoryLocator>] = []
    /// The images to build, such as `cerc/foundry`.
    package var containers: [Located<String>] = []
    package var npms: [Located<String>] = []
    package var pods: [Pod] = []
    package var jobs: [Located<String>] = []
    /// By the importing service and its variable, the service and variable that exports the value.
    package var config: OrderedDictionary<String, OrderedDictionary<String, Located<ConfigSource>>> = [:]
    /// Other stacks that belong to this one.
    package var stacks: [Located<String>] = []
    /// The `x-…` keys.
    package var extensions: OrderedDictionary<String, Node> = [:]
    /// The place of each top-level key.
    package var keys: [String: Mark] = [:]

    package init(file: String) {
        self.file = file
    }
}
