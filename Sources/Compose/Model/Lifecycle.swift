package import OrderedCollections
package import YAML

/// The `healthcheck` key. nil fields take docker's defaults, see ``Healthcheck/Defaults``.
package struct Healthcheck: Hashable, Sendable {
    /// docker's numbers for what a file leaves out.
    package enum Defaults {
        package static let interval = Duration.seconds(30)
        package static let timeout = Duration.seconds(30)
        package static let startPeriod = Duration.zero
        package static let startInterval = Duration.seconds(5)
        package static let retries = 3
    }

    package enum Test: Hashable, Sendable {
        /// `CMD`: the program and its arguments.
        case command([TemplateText])
        /// `CMD-SHELL` or the string form: for `/bin/sh -c`.
        case shell(TemplateText)
        /// `NONE`, or `disable: true`.
        case none
    }

    /// nil: the image's own check, with the numbers given here.
    package var test: Test?
    package var interval: Duration?
    package var timeout: Duration?
    package var startPeriod: Duration?
    package var startInterval: Duration?
    package var retries: Int?
    package var mark: Mark

    package init(test: Test?, mark: Mark = .generated) {
        self.test = test
        self.mark = mark
    }

    /// Whether the check is switched off.
    package var isDisabled: Bool { test == Test.none }
}

/// An entry of `depends_on`.
package struct Dependency: Hashable, Sendable {
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        case started = "service_started"
        case healthy = "service_healthy"
        case completedSuccessfully = "service_completed_successfully"
    }

    package var condition: Condition
    /// False: only a warning if the other service is absent or fails.
    package var isRequired: Bool
    /// True: restarted when the other service is.
    package var restart: Bool
    /// Whether `links`, `volumes_from` or a `service:` namespace brought it, not `depends_on`.
    package var isImplied: Bool
    package var mark: Mark

    package init(
        condition: Condition = .started, isRequired: Bool = true, restart: Bool = false, isImplied: Bool = false,
        mark: Mark = .generated
    ) {
        self.condition = condition
        self.isRequired = isRequired
        self.restart = restart
        self.isImplied = isImplied
        self.mark = mark
    }
}

/// An entry of `pre_start`, `post_start` or `pre_stop`.
package struct Hook: Hashable, Sendable {
    package var command: [TemplateText]?
    /// `pre_start` only; nil: the service's own image.
    package var image: String?
    package var user: String?
    package var privileged: Bool?
    package var workingDir: String?
    package var environment: OrderedDictionary<String, EnvironmentValue> = [:]
    /// `pre_start` only.
    package var perReplica: Bool?
    /// The keys that the files set.
    package var keys: [String: Mark] = [:]
    package var mark: Mark

    package init(command: [TemplateText]?, mark: Mark = .generated) {
        self.command = command
        self.mark = mark
    }
}

/// The `develop` key.
package struct Develop: Hashable, Sendable {
    package struct Watch: Hashable, Sendable {
        /// Absolute.
        package var path: String
        /// `rebuild`, `sync`, `restart`, `sync+restart` or `sync+exec`.
        package var action: String
        package var target: String?
        package var ignore: [String] = []
        package var include: [String] = []
        package var initialSync: Bool?
        package var exec: Hook?

        package init(path: String, action: String) {
            self.path = path
            self.action = action
        }
    }

    package var watch: [Watch] = []

    package init() {}
}
