import Compose
import ExternalTools
import Glibc
import OrderedCollections
import Rendering
import Runtimes
package import Specs
import Stacks
import SystemCrypto
package import YAML

/// A create or update that was decided: what it would write, and every problem that was found on the way.
package struct PreparedDirectory: Sendable {
    package var contents: DirectoryContents
    /// Warnings; an error would have been thrown.
    package var warnings: [Diagnostic]
}

/// Checks stack and spec as a whole and decides what the deployment directory holds; writes nothing.
///
/// - Throws: `InvalidInput` with every problem of stack, compose files and spec at once.
package func prepareDirectory(_ request: CreateRequest) throws -> PreparedDirectory {
    var diagnostics = Diagnostics()
    let project = layer(
        request.stack, spec: request.spec, options: request.options, tree: request.tree, diagnostics: &diagnostics)
    guard let project else { throw InvalidInput(diagnostics.list) }
    var contents = planDirectoryContents(request, project: project, diagnostics: &diagnostics)
    try diagnostics.throwIfErrors()
    var options = RenderOptions(spec: request.spec, stackName: request.stack.name, deploymentID: "check")
    options.deploymentDirectory = request.directory
    options.homeDirectory = request.options.homeDirectory
    options.isStrict = request.isStrict
    // What an image says of its users is looked up when the deployment is read: it may be built after this.
    options.userNumber = { _ in 0 }
    _ = render(
        project, options: options, tree: request.tree.creating(contents, in: request.directory),
        diagnostics: &diagnostics)
    try diagnostics.throwIfErrors()
    if request.makesHelmChart {
        contents.files += try helmChart(request, project, tree: request.tree.creating(contents, in: request.directory))
    }
    return PreparedDirectory(contents: contents, warnings: diagnostics.list)
}

/// The chart of what `so render --deploy-to k8s` prints for the deployment.
///
/// - Throws: `InvalidInput` with what a cluster could not run, where the spec is for another target.
private func helmChart(
    _ request: CreateRequest, _ project: LayeredProject, tree: FileTree
) throws -> [DeploymentFile] {
    let identity = try request.identity ?? request.newIdentity()
    var diagnostics = Diagnostics()
    var options = RenderOptions(
        spec: request.spec, stackName: request.stack.name, deploymentID: identity.deploymentID)
    options.target = .kubernetes
    options.deploymentDirectory = request.directory
    options.homeDirectory = request.options.homeDirectory
    options.isStrict = request.isStrict
    let rendered = render(project, options: options, tree: tree, diagnostics: &diagnostics)
    try diagnostics.throwIfErrors()
    let mode = request.specCopyMode
    let version = identity.stackCommit ?? identity.toolVersion
    return try HelmChart(rendered, name: request.stack.name, appVersion: version).files.map { file in
        DeploymentFile(path: "chart/\(file.path)", content: .bytes(Array(file.text.utf8)), mode: mode)
    }
}

/// Adds to a directory that is laid out aside, before it takes its place.
package typealias DirectoryCompletion = (DeploymentDirectory) async throws -> Void

/// Makes a new deployment directory: all of it, or nothing.
///
/// - Throws: ``DeploymentError`` (`cannotCreate`) where something stands there already or the disk is full;
///   `failed` where the stack's `create` hook fails.
package func createDirectory(
    _ request: CreateRequest, contents: DirectoryContents, complete: DirectoryCompletion
) async throws -> DeploymentDirectory {
    try refuseExisting(request.directory)
    let parent = Files.parent(of: request.directory)
    try Files.makeDirectory(parent)
    let name = request.directory.dropFirst(parent == "/" ? 1 : parent.count + 1)
    try removeAbandoned(prefix: ".\(name).so-new-", in: parent)
    let staging = "\(parent)/.\(name).so-new-\(getpid())"
    let directory = DeploymentDirectory(root: staging, identity: try request.identity ?? request.newIdentity())
    do {
        try Files.remove(staging)
        try directory.write(contents, request: request, isNew: true)
        try Files.writeUnsynced(
            Array(directory.identity.yaml.utf8), to: "\(staging)/deployment.yml", mode: 0o644)
        try directory.recordUnsynced(place: request.directory)
        try await complete(directory)
        try directory.writeManifest(
            of: staging, owned: contents.owned, seeds: contents.seeds, configEnv: contents.specConfigEnv)
        try Files.syncTree(staging)
        try Files.rename(staging, to: request.directory)
    } catch {
        try? Files.remove(staging)
        throw error
    }
    Files.syncDirectory(parent)
    return DeploymentDirectory(root: request.directory, identity: directory.identity)
}

/// Brings an existing deployment directory up to its stack and spec; the caller holds the lock.
///
/// Identity, secrets and data stay. A file whose content changes is kept as `<file>.bak`; files that the stack dropped go.
package func updateDirectory(
    _ directory: DeploymentDirectory, _ request: CreateRequest, contents: DirectoryContents,
    complete: DirectoryCompletion
) async throws -> DirectoryUpdate {
    try directory.recover()
    let staging = DeploymentDirectory(root: directory.stagingDirectory, identity: directory.identity)
    do {
        try staging.write(contents, request: request, isNew: false)
        try await complete(staging)
        try Files.syncTree(staging.root)
        var update = try directory.planUpdate(owned: contents.owned, seeds: contents.seeds.filter(\.followsStack))
        update.directories = contents.directories
        update.manifest.configEnv = contents.specConfigEnv
        try directory.adoptInputs(from: staging)
        try directory.apply(update)
        return update
    } catch {
        // What was laid out aside must not go on filling a full disk; an update that was decided already is finished instead.
        try? directory.recover()
        throw error
    }
}

private func refuseExisting(_ path: String) throws {
    guard Files.exists(path) else { return }
    if try Files.isDirectory(path) && Files.list(path).isEmpty { return }
    let hint =
        Files.exists("\(path)/deployment.yml")
        ? "update it with --update, or name another directory with --deployment-dir"
        : "name another directory with --deployment-dir"
    throw DeploymentError(.cannotCreate, "\(path) exists already", hint: "\(hint)")
}

/// Removes what a killed create left: staging directories whose process is gone.
private func removeAbandoned(prefix: String, in parent: String) throws {
    for name in try Files.list(parent) where name.hasPrefix(prefix) {
        guard HostProcess.hasEnded(name.dropFirst(prefix.count)) else { continue }
        try Files.remove("\(parent)/\(name)")
    }
}

extension CreateRequest {
    /// The identity of a deployment that is recreated.
    package func newIdentity() throws -> Identity {
        var identity = try Identity.new(
            stackName: stack.name, stackSource: stackSource, target: spec.deployTo ?? .podman, toolVersion: toolVersion)
        identity.stackCommit = stackCommit
        return identity
    }
}

extension Identity {
    /// An identity that no other deployment has.
    static func new(
        stackName: String, stackSource: String, target: DeploymentTarget, toolVersion: String
    ) throws -> Identity {
        let suffix = hex(try randomBytes(4))
        let stem = String(stackName.lowercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        let name = stem.split(separator: "-").joined(separator: "-").prefix(40)
        return Identity(
            deploymentID: "\(name.isEmpty ? "so" : name)-\(suffix)", clusterID: "so-\(suffix)",
            target: target.rawValue, stackName: stackName, stackSource: stackSource, stackCommit: nil,
            toolVersion: toolVersion)
    }
}

extension Spec {
    /// The namespace of a deployment: the spec's, or `so-<stack>`.
    package func effectiveNamespace(of stackName: String) -> String {
        namespace ?? Names.label("so-\(stackName)")
    }
}

/// The permissions of what holds a spec's values: whoever may not read the spec, of the mode that is given, may not read a copy or the chart.
func specCopyMode(_ own: UInt32?) -> UInt32 { (own ?? 0o644) & 0o644 | 0o600 }

extension CreateRequest {
    /// The permissions of all that holds the spec's values.
    var specCopyMode: UInt32 { Deployments.specCopyMode(tree.mode(spec.file).map(UInt32.init)) }
}
