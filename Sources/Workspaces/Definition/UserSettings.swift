package import OrderedCollections
package import Stacks
package import YAML

/// What a user has settled for all projects: `so settings`, kept in `~/.config/so/settings.yml`.
package struct UserSettings: Sendable {
    /// The image that built-in templates begin with.
    package var baseImage: String?
    /// Put before the names of official images instead of docker.io/library, such as `registry.example.com/mirror`.
    package var registryMirror: String?
    /// By language: the image to copy it from; `{version}` stands for the version.
    package var languageImages: OrderedDictionary<String, String> = [:]
    /// By agent: an image that holds its CLI, copied instead of installed.
    package var agentImages: OrderedDictionary<String, String> = [:]
    /// By database: the image of the companion; `{version}` stands for the version.
    package var databaseImages: OrderedDictionary<String, String> = [:]
    /// Variables of templates, such as GIT_NAME.
    package var variables: OrderedDictionary<String, Located<String>> = [:]
    /// Keys of workspace.yml that are the user's taste, never what a project needs.
    package var definition: DefinitionDocument?
    /// The file's content.
    package private(set) var node = Node.map([])

    package init() {}

    /// - Parameter diagnostics: receives every key that is unknown and every value that does not fit.
    package init(_ node: Node, diagnostics: inout Diagnostics) {
        self.node = node
        var validation = Validation()
        validation.check(node, .settings, at: "")
        diagnostics.append(contentsOf: validation.diagnostics.list)
        baseImage = node.text("base-image")
        registryMirror = node.text("registry-mirror")
        languageImages = node.texts(under: "language-images")
        agentImages = node.texts(under: "agent-images")
        databaseImages = node.texts(under: "database-images")
        variables = node.textMap("variables")
        if let section = node.value("workspace") {
            definition = DefinitionDocument(section, layer: .settings, diagnostics: &diagnostics)
        }
    }
}

extension Node {
    fileprivate func texts(under key: String) -> OrderedDictionary<String, String> { textMap(key).mapValues(\.value) }
}

extension Shape {
    /// The keys of settings.yml.
    package static let settings = Shape.fields([
        Field("base-image", .checked(.nonEmpty), "the image that built-in templates begin with"),
        Field("registry-mirror", .checked(.nonEmpty), "stands for docker.io/library in the names of official images"),
        Field(
            "language-images", .mapping(.language, .checked(.nonEmpty)),
            "images that languages are copied from; {version} stands for the version"),
        Field("agent-images", .mapping(.label, .checked(.nonEmpty)), "images that hold the CLI of an agent"),
        Field(
            "database-images", .mapping(.database, .checked(.nonEmpty)),
            "images of databases; {version} stands for the version"),
        Field("variables", .mapping(.variable, .text), "variables of templates, such as GIT_NAME"),
        Field("workspace", personal, "keys of workspace.yml for all projects"),
    ])

    /// The keys of workspace.yml that are a matter of taste.
    private static let personal: Shape = {
        guard case .fields(let all, _) = Shape.workspace else { return .any }
        let names = [
            "template", "agent", "tools", "on-exit", "keep-running", "idle-timeout", "resources", "budget",
            "environment",
            "runtime-class", "cache",
        ]
        return .fields(all.filter { names.contains($0.name) })
    }()
}
