package import OrderedCollections
package import YAML

/// A service with a field for every key of the compose-spec schema; short forms are turned into long ones.
///
/// A field is nil or empty where the key is absent, unless its comment names a default. `keys` tells absent from empty.
package struct Service: Hashable, Sendable {
    package var name: String
    package var mark: Mark
    /// The place of each key that the files set, dotted for nested ones (`deploy.resources.limits.cpus`).
    package var keys: [String: Mark] = [:]
    /// The project directory of the file that defines the service: an include's own, else the project's; absolute.
    package var directory: String = "/"

    package var annotations: OrderedDictionary<String, String> = [:]
    package var attach: Bool?
    package var blkioConfig: BlkioConfig?
    package var build: Build?
    package var capAdd: [String] = []
    package var capDrop: [String] = []
    /// `host` or `private`.
    package var cgroup: String?
    package var cgroupParent: String?
    /// nil: the image's command. Empty: no command. The string form is split as a shell would.
    package var command: [TemplateText]?
    package var configs: [FileReference] = []
    package var containerName: String?
    package var cpuCount: Int64?
    package var cpuPercent: Double?
    package var cpuPeriod: Int64?
    package var cpuQuota: Int64?
    package var cpuRtPeriod: Int64?
    package var cpuRtRuntime: Int64?
    package var cpuShares: Int64?
    /// CPUs, such as 0.5; `deploy.resources.limits.cpus` where only that is set.
    package var cpus: Double?
    package var cpuset: String?
    package var credentialSpec: CredentialSpec?
    /// Those that links, volumes_from and `service:` namespaces imply are included, marked as implied.
    package var dependsOn: OrderedDictionary<String, Dependency> = [:]
    package var deploy: Deploy?
    package var develop: Develop?
    package var deviceCgroupRules: [String] = []
    package var devices: [DeviceMapping] = []
    package var dns: [String] = []
    package var dnsOpt: [String] = []
    package var dnsSearch: [String] = []
    package var domainname: String?
    /// nil: the image's entrypoint. Empty: none.
    package var entrypoint: [TemplateText]?
    package var envFiles: [EnvFile] = []
    /// `environment` over the lines of `env_file`, both resolved; a bare name that nothing sets is absent.
    package var environment: OrderedDictionary<String, EnvironmentValue> = [:]
    package var expose: [ExposedPort] = []
    package var externalLinks: [Link] = []
    package var extraHosts: [ExtraHost] = []
    package var gpus: [DeviceRequest] = []
    package var groupAdd: [String] = []
    package var healthcheck: Healthcheck?
    package var hostname: String?
    package var image: String?
    package var initProcess: Bool?
    package var ipc: String?
    package var isolation: String?
    /// Labels, those of `label_file` below those of `labels`.
    package var labels: OrderedDictionary<String, String> = [:]
    /// Absolute paths.
    package var labelFiles: [String] = []
    package var links: [Link] = []
    package var logging: Logging?
    package var macAddress: String?
    /// Bytes; `deploy.resources.limits.memory` where only that is set.
    package var memLimit: Int64?
    /// Bytes; `deploy.resources.reservations.memory` where only that is set.
    package var memReservation: Int64?
    /// Percent.
    package var memSwappiness: Int64?
    /// Bytes; -1 is unlimited.
    package var memswapLimit: Int64?
    package var models: OrderedDictionary<String, ServiceModel> = [:]
    /// `none`, `host`, `bridge`, `service:<name>`, `container:<name>` or a network's name.
    package var networkMode: String?
    /// By the project's network key; `default` where the service names none and has no network_mode.
    package var networks: OrderedDictionary<String, ServiceNetwork> = [:]
    package var oomKillDisable: Bool?
    package var oomScoreAdj: Int64?
    package var pid: String?
    /// -1 is unlimited; `deploy.resources.limits.pids` where only that is set.
    package var pidsLimit: Int64?
    package var platform: String?
    /// Ranges are one mapping for each port of the container.
    package var ports: [PortMapping] = []
    package var postStart: [Hook] = []
    package var preStart: [Hook] = []
    package var preStop: [Hook] = []
    package var privileged: Bool?
    package var profiles: [String] = []
    package var provider: Provider?
    package var pullPolicy: PullPolicy?
    package var pullRefreshAfter: String?
    package var readOnly: Bool?
    package var restart: RestartPolicy?
    package var runtime: String?
    /// `deploy.replicas` where only that is set; nil is one.
    package var scale: Int?
    package var secrets: [FileReference] = []
    package var securityOpt: [String] = []
    /// Bytes.
    package var shmSize: Int64?
    package var stdinOpen: Bool?
    package var stopGracePeriod: Duration?
    package var stopSignal: String?
    package var storageOpt: OrderedDictionary<String, String> = [:]
    package var sysctls: OrderedDictionary<String, String> = [:]
    package var tmpfs: [TmpfsMount] = []
    package var tty: Bool?
    package var ulimits: OrderedDictionary<String, Ulimit> = [:]
    package var useAPISocket: Bool?
    package var user: String?
    package var usernsMode: String?
    package var uts: String?
    package var volumes: [VolumeMount] = []
    package var volumesFrom: [VolumesFrom] = []
    package var workingDir: String?
    /// The `x-*` keys.
    package var extensions: OrderedDictionary<String, Node> = [:]

    package init(name: String, mark: Mark = .generated) {
        self.name = name
        self.mark = mark
    }

    /// The place of a key, or the service's own if the key is absent.
    package func mark(of key: String) -> Mark { keys[key] ?? mark }
}

/// The `restart` key.
package enum RestartPolicy: Hashable, Sendable {
    case no
    case always
    case unlessStopped
    /// `on-failure`, with a limit of attempts if it was written.
    case onFailure(Int?)
}

/// The `pull_policy` key.
package enum PullPolicy: Hashable, Sendable {
    case always
    case never
    /// `missing` and `if_not_present`.
    case missing
    case build
    /// `refresh`: whenever the registry has a newer image.
    case refresh
    /// `daily`, `weekly` and `every_<duration>`.
    case every(Duration)
}
