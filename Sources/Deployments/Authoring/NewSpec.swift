import Compose
import ExternalTools
package import OrderedCollections
package import Runtimes
package import Specs
import Stacks
import YAML

/// What a new spec is made of; paths are as the user has written them.
package struct NewSpecRequest: Sendable {
    /// A path or name.
    package var stack: String
    /// Nil: kind where this host can run it, else podman.
    package var target: DeploymentTarget?
    /// An env file for the spec's config.
    package var configFile: String?
    /// Over those of the file.
    package var config: OrderedDictionary<String, Located<String>> = [:]
    package var ports: PortRecipe = .anyVariableRandom
    package var kubeConfig: String?
    package var imageRegistry: String?

    package init(stack: String) { self.stack = stack }
}

/// A spec that is decided, and not written yet.
package struct NewSpec: Sendable {
    package var text: [UInt8]
    package var target: DeploymentTarget
    /// Why it is this target where nobody said which.
    package var reason: String?
}

extension DeploymentService {
    /// Decides what the spec of a new deployment says, with what the stack's init hook suggests.
    ///
    /// - Throws: `InvalidInput` with the problems of the stack, or of what was asked for, by the rules of every reader of a spec.
    package func newSpec(
        _ request: NewSpecRequest, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> NewSpec {
        let (target, reason) = await target(of: request)
        let stack = try host.resolver().resolve(request.stack)
        var diagnostics = Diagnostics()
        var wanted = try specRequest(request, stack, target, &diagnostics)
        wanted.fragment = try await initialFragment(
            of: stack, target: target, diagnostics: &diagnostics, events: events)
        let spec = initialSpec(
            stack, wanted, ports: PortMapper(recipe: request.ports, isFree: { HostPorts.isFree($0) }), tree: .disk,
            diagnostics: &diagnostics)
        guard let spec, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        // As a reader will see it: what was said on a command line is checked by the same rules.
        var found = Diagnostics()
        _ = parseSpec(spec.node, directory: host.absolute("."), diagnostics: &found)
        try found.throwIfErrors()
        (diagnostics.list + found.list).tell(events)
        return NewSpec(text: Array(emitYAML([spec.node]).utf8), target: target, reason: reason)
    }

    /// Writes it; another one that is there is kept.
    ///
    /// - Returns: the name of the file that the old one is kept as, if there was another.
    package func write(_ spec: NewSpec, to file: String) throws(DeploymentError) -> String? {
        let path = host.absolute(file)
        guard Files.isDirectory(Files.parent(of: path)) else {
            throw DeploymentError(
                .cannotCreate, "cannot write \(file): no directory \(Files.parent(of: path))",
                hint: "make the directory, or name another file")
        }
        let old = try Files.readIfPresent(path)
        guard old != spec.text else { return nil }
        let backup = old == nil ? nil : Files.freeBackup(of: path)
        if let backup { try Files.linkReplacing(path, at: backup) }
        try Files.write(spec.text, to: path, mode: specCopyMode(Files.mode(path)))
        return backup.map { lastPathComponent($0) }
    }

    private func target(of request: NewSpecRequest) async -> (DeploymentTarget, reason: String?) {
        if let target = request.target { return (target, nil) }
        // Options that a cluster alone takes are told as such; no cluster of this host is meant.
        guard request.kubeConfig == nil, request.imageRegistry == nil,
            let provider = await KindHost.provider(environment: host.environment)
        else { return (.podman, nil) }
        return (.kind, "kind and \(provider.program) work here; --deploy-to podman needs no cluster")
    }

    private func specRequest(
        _ request: NewSpecRequest, _ stack: ResolvedStack, _ target: DeploymentTarget, _ diagnostics: inout Diagnostics
    ) throws -> SpecRequest {
        var wanted = SpecRequest(stack: stack.reference, target: target)
        if let file = request.configFile {
            wanted.config = try readConfigFile(host.absolute(file), tree: .disk, diagnostics: &diagnostics)
        }
        // What the user has written wrongly is told before the stack's hook runs.
        try diagnostics.throwIfErrors()
        wanted.config.merge(request.config) { _, mine in mine }
        wanted.kubeConfig = request.kubeConfig
        wanted.imageRegistry = request.imageRegistry
        wanted.homeDirectory = host.homeDirectory
        return wanted
    }
}

extension ResolvedStack {
    /// What a spec names it by: a stack that every host finds goes by its name.
    fileprivate var reference: String {
        switch source {
        case .builtIn, .fetched: name
        case .external, .deployment: directory
        }
    }
}
