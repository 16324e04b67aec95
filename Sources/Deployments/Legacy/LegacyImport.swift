import Compose
import ExternalTools
import OrderedCollections
import Runtimes
import Specs
import Stacks
package import YAML

/// The import of a directory of stack-orchestrator, decided and not done yet.
package struct LegacyImport: Sendable {
    let request: CreateRequest
    let identity: Identity
    let prepared: PreparedDirectory
    /// What changes or cannot be taken.
    package let notes: [Diagnostic]

    package var root: String { request.directory }
    package var jobs: [String] { request.stack.jobs.map(\.name) }

    /// Every file that would be written, with the lines that change; none are told of files that may hold secrets.
    package func changes() throws -> [(path: String, lines: [String])] {
        let directory = DeploymentDirectory(root: root, identity: identity)
        let files = Dictionary(prepared.contents.files.map { ($0.path, $0) }) { $1 }
        return try directory.changes(prepared.contents, tree: request.tree).map { path in
            let isPrivate = path == "config.env" || path == "kubeconfig.yml" || files[path]?.mode == 0o600
            guard !isPrivate, let file = files[path] else { return (path, []) }
            let old = try Files.readIfPresent("\(root)/\(path)") ?? []
            return (path, lineChanges(from: old, to: try directory.content(of: file, tree: request.tree)))
        } + [("deployment.yml", [])]
    }
}

extension DeploymentService {
    /// Decides what becomes of a directory that stack-orchestrator made; paths are as the user has written them.
    ///
    /// - Parameter stack: a stack whose files are taken instead of the directory's own.
    package func legacyImport(of path: String, stack written: String?) async throws -> LegacyImport {
        let legacy = try LegacyDeployment.read(host.absolute(path))
        let stack = try written.map { try host.resolver().resolve($0) } ?? ownStack(of: legacy)
        let (spec, text, notes) = try legacy.imported(stack: stack)
        var identity = legacy.identity(stack: stack, target: spec.deployTo ?? .podman, toolVersion: host.toolVersion)
        var request = CreateRequest(
            stack: stack, spec: spec, specText: text, directory: legacy.root, stackSource: identity.stackSource,
            toolVersion: host.toolVersion, options: host.layerOptions)
        if written != nil { request.stackCommit = try? await host.git.head(stack.directory) }
        identity.stackCommit = request.stackCommit
        let prepared = try prepareDirectory(request)
        return LegacyImport(
            request: request, identity: identity, prepared: prepared, notes: notes + prepared.warnings)
    }

    /// Makes a directory of stack-orchestrator one of ours, in place.
    package func perform(
        _ legacy: LegacyImport, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> DirectoryUpdate {
        let directory = DeploymentDirectory(root: legacy.root, identity: legacy.identity)
        return try await locked(directory, verb: "deploy import-legacy", recovers: false, events: events) {
            try await importDirectory(
                legacy.identity, legacy.request, contents: legacy.prepared.contents,
                complete: Self.createHooks(legacy.request, events))
        }
    }

    /// The directory's own files: what ran is what runs on, whatever the stack's source says by now.
    private func ownStack(of legacy: LegacyDeployment) throws -> ResolvedStack {
        var own = try ResolvedStack.deployment(directory: legacy.root, name: legacy.stackName, tree: .disk)
        // What was created is not created again.
        own.hooks[.create] = nil
        own.partHooks.removeAll { $0.occasion == .create }
        return own
    }
}
