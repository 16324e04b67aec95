/// How the agent of one session is run in its pod.
package struct AgentRun: Hashable, Sendable {
    /// The words of an agent at a terminal.
    package var interactive: [String]
    /// The words of an agent with an instruction and without a terminal; what it writes is kept.
    package var headless: [String]
    /// The same for going on after the pod has ended; nil: it begins again.
    package var resume: [String]?
    package var headlessResume: [String]?
    package var environment: [String: String]
    /// By absolute path in the pod: written before the first start, mode 0600; those that exist stay.
    package var files: [String: [UInt8]]
    /// Sent to end it.
    package var stopSignal: String

    package init(
        interactive: [String], headless: [String], resume: [String]? = nil, headlessResume: [String]? = nil,
        environment: [String: String] = [:], files: [String: [UInt8]] = [:], stopSignal: String = "SIGTERM"
    ) {
        self.interactive = interactive
        self.headless = headless
        self.resume = resume
        self.headlessResume = headlessResume
        self.environment = environment
        self.files = files
        self.stopSignal = stopSignal
    }
}

/// Where things are in the agent's pod.
package enum PodPaths {
    package static let home = "/home/agent"
    /// Holds the checkout; a volume of the session's own.
    package static let work = "/work"
    /// The base store, mounted read-only.
    package static let baseStore = "/so/base.git"
    /// The same where nothing of this host is mounted: it comes through exec.
    package static let broughtStore = "/work/.so-base.git"
    /// The scripts that run the session; read-only.
    package static let scripts = "/so/scripts"
    /// Where the job that makes a checkout sees the volumes of its shared folders.
    package static let folders = "/so/folders"
    /// What the session's run leaves: marks, the exit code, the log. The agent could write them: they are read as such.
    package static let run = "\(home)/.so"
    package static let log = "\(run)/output.log"

    /// The checkout of a project.
    package static func checkout(_ projectName: String) -> String { "\(work)/\(projectName)" }
}
