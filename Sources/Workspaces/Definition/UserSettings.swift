package import OrderedCollections
package import Stacks

/// What a user has settled for all projects: `so settings`, kept in `~/.config/so/settings.yml`.
package struct UserSettings: Hashable, Sendable {
    /// The image that built-in templates begin with.
    package var baseImage: String?
    /// Put before the names of official images instead of docker.io, such as `registry.example.com/mirror`.
    package var registryMirror: String?
    /// By language: the image to copy it from; `{version}` stands for the version.
    package var languageImages: OrderedDictionary<String, String> = [:]
    /// By agent: an image that holds its CLI, copied instead of installed.
    package var agentImages: OrderedDictionary<String, String> = [:]
    /// By database: the image of the companion; `{version}` stands for the version.
    package var databaseImages: OrderedDictionary<String, String> = [:]
    /// Variables of templates, such as GIT_NAME.
    package var variables: OrderedDictionary<String, String> = [:]
    /// The keys of workspace.yml that the user decides for all projects, as that file would hold them.
    package var definition = SettingsDefinition()

    package init() {}
}

/// The keys of a definition that user settings may decide: what is the user's taste, never what a project needs.
package struct SettingsDefinition: Hashable, Sendable {
    package var agent: Located<String>?
    package var onExit: Located<SessionRecord.ExitPolicy>?
    package var keepsRunning: Located<Bool>?
    package var idleTimeout: Located<Int>?
    package var cpus: Located<Quantity>?
    package var memory: Located<Quantity>?
    package var disk: Located<Quantity>?
    package var cost: Located<Double>?
    package var tokens: Located<Int>?

    package init() {}
}
