import Compose
import OrderedCollections
import Runtimes
package import Specs
package import YAML

/// A deployment directory that stack-orchestrator, stack-orchestrator, made: spec.yml, stack.yml, deployment.yml, config.env,
/// compose/, config/ and data/.
package struct LegacyDeployment: Sendable {
    /// Absolute.
    package var root: String
    package var deploymentID: String
    package var clusterID: String
    /// The directory of the stack that it was made of, where that was written down.
    package var stackSource: String?
    /// The document of spec.yml.
    package var spec: Node

    /// What the spec names as its stack.
    package var stackReference: String? { spec.mapping?["stack"]?.text }

    /// The last part of what the spec names as its stack.
    package var stackName: String {
        let name = stackReference?.split(separator: "/").last.map(String.init) ?? ""
        return name.isEmpty ? "stack" : name
    }

    /// Reads a directory of stack-orchestrator.
    ///
    /// - Throws: ``DeploymentError`` (`missing`, or `unsupported` where `so` itself made the directory), `InvalidInput`.
    package static func read(_ path: String) throws -> LegacyDeployment {
        let root = Files.canonical(path)
        let file = "\(root)/deployment.yml"
        guard let bytes = try Files.readIfPresent(file), let spec = try Files.readIfPresent("\(root)/spec.yml") else {
            throw DeploymentError(
                .missing, "\(root) is not a deployment of stack-orchestrator: it has no deployment.yml and spec.yml",
                hint: "name the directory that `laconic-so deploy create` made")
        }
        let identity = try loadYAMLDocument(bytes, file: file)
        if identity.mapping?["tool-version"] != nil {
            throw DeploymentError(
                .unsupported, "\(root) is a deployment of so already",
                hint: "bring it up to date with `so deploy create --update`, or start it")
        }
        guard let cluster = identity.mapping?["cluster-id"]?.text else {
            throw DeploymentError(
                .missing, "\(file) names no cluster-id",
                hint: "restore it, or make a new deployment with `so deploy create`")
        }
        return LegacyDeployment(
            root: root, deploymentID: identity.mapping?["deployment-id"]?.text ?? cluster, clusterID: cluster,
            stackSource: identity.mapping?["stack-source"]?.text,
            spec: try loadYAMLDocument(spec, file: "\(root)/spec.yml"))
    }

    /// The new spec, and what changes or could not be taken.
    ///
    /// - Parameter stack: what the spec names as its stack from now on.
    package func imported(stack: ResolvedStack) throws -> (spec: Spec, text: [UInt8], notes: [Diagnostic]) {
        var diagnostics = Diagnostics()
        let documents = composeDocuments(stack)
        let (document, notes) = importLegacySpec(
            spec, stack: sourceReference(stack), stackName: stackName, environment: try environment(&diagnostics),
            credentials: credentials(&diagnostics), deploymentID: deploymentID, clusterID: clusterID,
            pods: serviceCounts(documents), dockerVolumes: dockerVolumes(documents))
        let text = Array(try keepingText(withKubeconfig(document)).utf8)
        let parsed = parseSpec(text, file: "\(root)/spec.yml", directory: root, diagnostics: &diagnostics)
        guard let parsed, !diagnostics.hasErrors else { throw InvalidInput(diagnostics.list) }
        return (parsed, text, notes + hookNotes)
    }

    /// The identity that the deployment keeps.
    package func identity(stack: ResolvedStack, target: DeploymentTarget, toolVersion: String) -> Identity {
        Identity(
            deploymentID: deploymentID, clusterID: clusterID, target: target.rawValue, stackName: stack.name,
            stackSource: sourceReference(stack), stackCommit: nil, toolVersion: toolVersion)
    }

    /// What later updates are made from: the directory's own files are what runs, not where they came from.
    private func sourceReference(_ stack: ResolvedStack) -> String {
        guard stack.directory == root else { return stack.directory }
        return stackSource ?? stackReference ?? root
    }

    /// The compose file of each pod, by the pod's name; what is wrong with one is told when it is layered.
    private func composeDocuments(_ stack: ResolvedStack) -> OrderedDictionary<String, Mapping> {
        var documents: OrderedDictionary<String, Mapping> = [:]
        for pod in stack.pods {
            guard let file = pod.composeFile, let bytes = try? Files.read(file),
                let document = try? loadYAMLDocument(bytes, file: file)
            else { continue }
            documents[pod.name] = document.mapping
        }
        return documents
    }

    /// By pod, how many services its compose file has.
    private func serviceCounts(
        _ documents: OrderedDictionary<String, Mapping>
    ) -> OrderedDictionary<String, Int> {
        documents.mapValues { $0["services"]?.mapping?.entries.count ?? 0 }
    }

    /// The volumes that docker kept itself, each with docker's name for it: `<project>_<volume>` unless the file names it.
    /// https://docs.docker.com/reference/compose-file/volumes/#name
    private func dockerVolumes(
        _ documents: OrderedDictionary<String, Mapping>
    ) -> OrderedDictionary<String, Located<String>> {
        var result: OrderedDictionary<String, Located<String>> = [:]
        for volume in documents.values.flatMap({ $0["volumes"]?.mapping?.entries ?? [] }) {
            let options = volume.value.mapping
            // One with a device is a directory of the host.
            guard options?["external"] == nil, options?["driver_opts"]?.mapping?["device"] == nil else { continue }
            result[volume.key] = Located(options?["name"]?.text ?? "\(clusterID)_\(volume.key)", at: volume.keyMark)
        }
        return result
    }

    /// The spec's text where what it says stays: quoting and comments are the operator's.
    private func keepingText(_ document: Node) throws -> String {
        let old = spec.mapping?.entries ?? []
        let lines = String(decoding: try Files.read("\(root)/spec.yml"), as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        // Only a block at the margin can be cut into lines.
        let starts = old.map { $0.keyMark.line - 1 }
        guard old.allSatisfy({ $0.keyMark.column == 1 }), starts == starts.sorted(), Set(starts).count == starts.count
        else { return emitYAML([document]) }
        var parts: [String] = []
        for entry in document.mapping?.entries ?? [] {
            let emitted = emitYAML([Node(.mapping(Mapping([entry])))])
            guard let index = old.firstIndex(where: { $0.key == entry.key }),
                emitYAML([Node(.mapping(Mapping([old[index]])))]) == emitted
            else {
                parts.append(emitted)
                continue
            }
            let end = index + 1 < starts.count ? starts[index + 1] : lines.count
            let text = lines[starts[index]..<end].joined(separator: "\n")
            parts.append(
                text.hasSuffix("\n") || end < lines.count ? text + (text.hasSuffix("\n") ? "" : "\n") : text + "\n")
        }
        let head = lines.prefix(starts.first ?? 0).joined(separator: "\n")
        return (head.isEmpty ? "" : head + "\n") + parts.joined()
    }

    /// stack-orchestrator copied the kubeconfig into the directory; the operator's own may have gone since.
    private func withKubeconfig(_ document: Node) -> Node {
        let copy = "\(root)/kubeconfig.yml"
        guard Files.exists(copy), var mapping = document.mapping,
            let index = mapping.entries.firstIndex(where: { $0.key == "kube-config" }),
            isRelativeOrGone(mapping.entries[index].value.text ?? "")
        else { return document }
        mapping.entries[index].value = .string(copy)
        return Node(.mapping(mapping), mark: document.mark)
    }

    /// A relative path started where stack-orchestrator was called, which nobody knows any more.
    private func isRelativeOrGone(_ path: String) -> Bool {
        if path.hasPrefix("~") { return false }
        return !path.hasPrefix("/") || !Files.exists(path)
    }

    /// config.env as stack-orchestrator wrote it: each value raw, to the end of its line, but for quotes that an operator put around it.
    private func environment(
        _ diagnostics: inout Diagnostics
    ) throws -> OrderedDictionary<String, Located<String>> {
        let file = "\(root)/config.env"
        guard let bytes = try Files.readIfPresent(file) else { return [:] }
        var result: OrderedDictionary<String, Located<String>> = [:]
        for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
            guard line.first != UInt8(ascii: "#"), let equals = line.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: line[..<equals], as: UTF8.self)
            let value = String(decoding: line[line.index(after: equals)...], as: UTF8.self)
            result[name] = Located(unquoted(value), at: Mark(file: file, line: index + 1, column: 1))
        }
        return result
    }

    private func unquoted(_ value: String) -> String {
        guard value.utf8.count >= 2, let quote = value.first, quote == "'" || quote == "\"", value.last == quote else {
            return value
        }
        return String(value.dropFirst().dropLast())
    }

    private func credentials(_ diagnostics: inout Diagnostics) -> Set<String> {
        let files = spec.mapping?["credentials-files"]?.sequence?.compactMap(\.text) ?? []
        var names: Set<String> = []
        for file in files {
            let path = Files.absolute(file)
            // A file that has gone is told when the stack is layered.
            guard let variables = try? readConfigFile(path, tree: .disk, diagnostics: &diagnostics) else { continue }
            names.formUnion(variables.keys)
        }
        return names
    }

    private var hookNotes: [Diagnostic] {
        let hooks = (try? Files.list("\(root)/hooks")) ?? []
        var diagnostics = Diagnostics()
        for hook in hooks where hook.hasSuffix(".py") {
            diagnostics.warning(
                "\(hook) is run by python3: its function start at each start",
                at: Mark(file: "\(root)/hooks/\(hook)", line: 1, column: 1),
                hint: "read it before")
        }
        return diagnostics.list
    }
}

/// Makes a directory of stack-orchestrator one of ours, in place; `data/` is not touched, and what is replaced is kept as `.bak`.
///
/// The old deployment.yml is replaced last: a directory that was imported half way is still stack-orchestrator's, and is imported again.
package func importDirectory(
    _ identity: Identity, _ request: CreateRequest, contents: DirectoryContents, complete: DirectoryCompletion
) async throws -> DirectoryUpdate {
    let directory = DeploymentDirectory(root: request.directory, identity: identity)
    try Files.makeDirectory(directory.stateDirectory, mode: 0o700)
    let update = try await updateDirectory(directory, request, contents: contents, complete: complete)
    // The data is there, and so is what its jobs did to it.
    var jobs = CompletedJobs()
    for job in request.stack.jobs { jobs.insert(job.name, definition: "") }
    if !request.stack.jobs.isEmpty { try jobs.write(in: directory.stateDirectory) }
    try Files.linkReplacing("\(directory.root)/deployment.yml", at: "\(directory.root)/deployment.yml.bak")
    try Files.write(Array(identity.yaml.utf8), to: "\(directory.root)/deployment.yml")
    try directory.claim()
    return update
}
