package import AgentLoop
package import Egress
package import OrderedCollections

/// A coding CLI as `config/agents/<name>.yml` declares it. A new one is a file, no code.
package struct AgentDeclaration: Hashable, Sendable {
    package var name: String
    /// How people call it.
    package var title: String
    package var install = Install()
    package var commands: Commands
    /// Set in the agent's pod; may hold placeholders, see ``AgentPlaceholders``.
    package var environment: OrderedDictionary<String, String> = [:]
    /// Written into the agent's home before its first start; may hold placeholders.
    package var files: [HomeFile] = []
    package var output = OutputFormat.text
    /// Where it reads tasking.yaml and writes reporting.yaml itself; nil: the loop of `so-agent` does.
    package var loop: OwnLoop?
    /// Sent to end it, such as SIGTERM.
    package var stopSignal = "SIGTERM"
    package var providers: [ProviderDeclaration] = []
    /// The first whose variable has a value is used.
    package var authentication: [AuthenticationMode] = []
    /// Names that it reaches besides its provider's.
    package var allow: [String] = []

    /// What its layer of the image needs.
    package struct Install: Hashable, Sendable {
        /// Packages of the distribution.
        package var packages: [String] = []
        /// Shell commands, run as root when the image is built on the user's host.
        package var run: [String] = []
    }

    /// Argument arrays; `${PROMPT}` and `${SESSION}` are put in, each as one argument.
    package struct Commands: Hashable, Sendable {
        package var interactive: [String]
        package var headless: [String]
        /// Goes on where the last interactive run ended; nil: it cannot.
        package var resume: [String]?
        package var headlessResume: [String]?
    }

    /// The files that an agent with a loop of its own exchanges with an orchestrator, relative to the checkout.
    package struct OwnLoop: Hashable, Sendable {
        package var tasking = Tasking.defaultPath
        package var reporting = Reporting.defaultPath
    }

    package struct HomeFile: Hashable, Sendable {
        /// Relative to the home.
        package var path: String
        package var content: String
    }

    package typealias OutputFormat = AgentOutputFormat

    /// A provider that it talks to, through the egress.
    package struct ProviderDeclaration: Hashable, Sendable {
        package var name: String
        package var dialect: Provider.Dialect
        package var upstream: String
    }

    /// One way to show who pays.
    package struct AuthenticationMode: Hashable, Sendable {
        /// The variable of the user's environment, and the name under which `so auth` stores it.
        package var variable: String
        package var provider: String
        /// Headers by name, with `${CREDENTIAL}` for the real one. A value that begins with `+` joins the agent's own.
        package var headers: OrderedDictionary<String, String>
    }
}

/// What stands for what in a declaration: `${EGRESS}`, `${TOKEN}`, `${TOKEN_END}` (its last 20 characters), `${WORK_TREE}`, `${HOME}`.
package struct AgentPlaceholders: Sendable {
    /// `http://egress:8080`.
    package var egress: String
    /// The worthless token of the session.
    package var token: String
    /// The checkout in the pod.
    package var workTree: String
    package var home: String

    package init(egress: String, token: String, workTree: String, home: String) {
        self.egress = egress
        self.token = token
        self.workTree = workTree
        self.home = home
    }
}

/// What an agent's pod is given before the agent starts.
package struct AgentSetting: Hashable, Sendable {
    package var environment: OrderedDictionary<String, String>
    /// By absolute path in the pod. Written for the pod's user, mode 0600, before the first start; later starts leave them.
    package var files: OrderedDictionary<String, [UInt8]>
    package var stopSignal: String
}
