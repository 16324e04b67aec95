package import OrderedCollections
import Runtimes

/// A file of a build's context.
package enum ContextFile: Hashable, Sendable {
    case bytes([UInt8], mode: UInt32)
    /// An absolute path of a regular file on the host; its content counts, not its name.
    case file(String)
}

/// What an agent's declaration adds to an image: its last layer, above everything that changes less often.
package struct AgentLayer: Hashable, Sendable {
    package var agent: String
    /// Packages of the distribution that it needs.
    package var packages: [String]
    /// Instructions of a Containerfile, run as root.
    package var instructions: [String]
    /// Files that the instructions copy, by path in the context.
    package var contextFiles: OrderedDictionary<String, ContextFile>
    /// Whether `so-agent` is one of the files: it stays where the agent comes from another image.
    package private(set) var hasLoop = false
    /// Whether `so-egress` is one of the files.
    package private(set) var hasProbe = false

    package init(
        agent: String, packages: [String] = [], instructions: [String] = [],
        contextFiles: OrderedDictionary<String, ContextFile> = [:]
    ) {
        self.agent = agent
        self.packages = packages
        self.instructions = instructions
        self.contextFiles = contextFiles
    }

    /// With the program of the loop beside the agent.
    ///
    /// - Parameter program: of this host, linked statically.
    package func with(loop program: String) throws(WorkspaceError) -> AgentLayer {
        try with(program, as: "so-agent", \.hasLoop)
    }

    /// With the program that asks what the pod reaches, for a runtime that mounts nothing of this host.
    ///
    /// - Parameter program: of this host, linked statically.
    package func with(probe program: String) throws(WorkspaceError) -> AgentLayer {
        try with(program, as: "so-egress", \.hasProbe)
    }

    private func with(
        _ program: String, as name: String, _ mark: WritableKeyPath<AgentLayer, Bool>
    ) throws(WorkspaceError) -> AgentLayer {
        guard Files.exists(program) else {
            throw WorkspaceError(.missing, "\(program) is missing", hint: "install so again: scripts/install")
        }
        var layer = self
        layer.contextFiles[name] = .file(program)
        layer[keyPath: mark] = true
        return layer
    }

    /// The files of another image below /opt/agent, its programs in /opt/agent/bin: what the setting `agent-images` names.
    func copied(from image: String) -> AgentLayer {
        AgentLayer(
            agent: agent, packages: packages,
            instructions: ["COPY --from=\(image) /opt/agent /opt/agent", "ENV PATH=/opt/agent/bin:$PATH"])
    }
}
