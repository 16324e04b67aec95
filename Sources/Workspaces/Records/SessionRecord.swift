package import AgentLoop
package import Egress
package import FoundationEssentials

/// What is known of one session, kept in a file of mode 0600 from before anything is made until its work is where it belongs.
package struct SessionRecord: Hashable, Sendable, Codable {
    /// How far the session has come. Each step can be repeated, and the next command goes on from here.
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        /// Nothing but this record exists.
        case created
        /// The project's commits are brought into the base store.
        case cloning
        /// Pods are brought up and the checkout is made in them.
        case starting
        case running
        /// The pods of a session that was stopped are brought up again; where that fails, it is stopped as before.
        case resuming
        /// Its pods wait in the project's pool, and nobody has asked for it yet.
        case pooled
        /// The pods are being stopped: what stops them may outlive the command.
        case stopping
        /// The pods are stopped; the volume holds the work.
        case stopped
        /// The work is being brought out of the pod.
        case collecting
        /// The work is in the store; pods and volume are taken down.
        case finishing
        /// Nothing but the record and the collected work is left.
        case closed
    }

    package var id: SessionID
    /// The project's directory: absolute, without symbolic links.
    package var project: String
    /// `<folder>-<8 hex>`: see `Project`.
    package var projectName: String
    package var state: State
    package var agent: String
    /// The instruction of a session without a terminal; nil for an interactive one. Work, hence private like the record.
    package var prompt: String?
    /// What stood behind `--`.
    package var arguments: [String] = []
    package var createdAt: Date
    /// The commit that the session began from.
    package var base: String?
    /// The branch that was checked out then; nil where HEAD was detached.
    package var baseBranch: String?
    /// Where the project itself came from, without credentials.
    package var remote: String?
    /// Ignored files that came along, and that are collected: paths relative to the checkout.
    package var copied: [String] = []
    /// The numbers that the agent's processes run as.
    package var user: PodUser?
    /// Set once it is decided.
    package var onExit: ExitPolicy?
    /// The digest-tagged image of the agent's pod.
    package var image: String?
    /// The port of 127.0.0.1 for each port of the definition.
    package var ports: [Int: Int] = [:]
    /// Where this host's routes lead to its ports, by the host name.
    package var routes: [String: String]?
    /// The services beside the agent's: egress and companions.
    package var services: [String] = []
    /// The images of these; nil: a so that wrote none has written the record.
    package var companionImages: [String]?
    /// Folders of the checkout that are volumes shared with companions, each with the volume.
    package var folders: [String: String] = [:]
    /// Where its networks are; nil where nothing has been chosen yet.
    package var addresses: SessionAddresses?
    /// Where it runs; nil: with podman, as every session did once.
    package var runtime: SessionRuntime?
    /// What its egress has found of its runtime; nil where the session chooses its addresses itself, or nothing runs yet.
    package var surroundings: EgressSurroundings?
    /// Tells one bringing up of the pods from the next, where their scripts come through exec.
    package var generation: String?
    /// What its agent shows to its egress; worth nothing elsewhere.
    package var token: String?
    /// What its egress had seen when it was last asked.
    package var egress: EgressStatus?
    /// What it was made for in the pool; nil once somebody works in it.
    package var poolKey: String?
    /// Whether its agent has been started once: from then on there is work that could be lost.
    package var hasRun: Bool?
    /// Seconds after its agent's end that its pods are kept; nil: until somebody ends it.
    package var idleTimeout: Int?
    /// What was left when it was closed without its work, by the names that its runtime has for it.
    package var left: [String]?
    /// How the agent ended; nil while it runs.
    package var result: AgentResult?
    /// What was collected last.
    package var collected: CollectionSummary?
    /// What a step could not do; the last command's.
    package var problems: [String] = []
    package var closedAt: Date?

    package init(
        id: SessionID, project: String, projectName: String, agent: String, createdAt: Date = Date()
    ) {
        self.id = id
        self.project = project
        self.projectName = projectName
        self.agent = agent
        self.createdAt = createdAt
        state = .created
    }
}
