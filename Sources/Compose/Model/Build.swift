package import OrderedCollections
package import YAML

/// The `build` key; places of its keys are in ``Service/keys`` under `build.…`.
package struct Build: Hashable, Sendable {
    /// An absolute directory, or a URL or other reference that the builder fetches. nil: none was written but a
    /// `dockerfile_inline` or nothing at all; compose then takes the project directory.
    package var context: String?
    /// The context as written, after interpolation.
    package var writtenContext: String?
    /// Relative to the context, or absolute.
    package var dockerfile: String?
    package var dockerfileInline: String?
    package var args: OrderedDictionary<String, EnvironmentValue> = [:]
    package var additionalContexts: OrderedDictionary<String, String> = [:]
    package var cacheFrom: [String] = []
    package var cacheTo: [String] = []
    package var entitlements: [String] = []
    package var extraHosts: [ExtraHost] = []
    package var isolation: String?
    package var labels: OrderedDictionary<String, String> = [:]
    package var network: String?
    package var noCache: Bool?
    package var noCacheFilter: [String] = []
    package var platforms: [String] = []
    package var privileged: Bool?
    package var provenance: String?
    package var pull: Bool?
    package var sbom: String?
    package var secrets: [FileReference] = []
    /// Bytes.
    package var shmSize: Int64?
    /// Key and path; the path is empty for the agent's default.
    package var ssh: OrderedDictionary<String, String> = [:]
    package var tags: [String] = []
    package var target: String?
    package var ulimits: OrderedDictionary<String, Ulimit> = [:]
    package var extensions: OrderedDictionary<String, Node> = [:]
    package var mark: Mark

    package init(context: String?, mark: Mark = .generated) {
        self.context = context
        self.writtenContext = context
        self.mark = mark
    }
}
