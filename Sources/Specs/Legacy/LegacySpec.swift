package import OrderedCollections
package import YAML

/// Takes a spec of stack-orchestrator over: what it says stays as it is, and what it left to stack-orchestrator's defaults is written out.
///
/// - Parameters:
///   - document: stack-orchestrator's spec.yml.
///   - stack: what the new spec names as its stack.
///   - stackName: the name that stack-orchestrator's default namespace is made of.
///   - environment: the variables of its config.env: what the containers got, values of credentials files included.
///   - credentials: the variables that the spec's credentials files give.
///   - deploymentID: what stack-orchestrator's claims are named after.
///   - clusterID: the compose project that it ran as.
///   - pods: how many services each pod of the stack has.
///   - dockerVolumes: the named volumes of the stack's compose files, with docker's names for them.
/// - Returns: the new document, and a warning for everything that changes or could not be taken.
package func importLegacySpec(
    _ document: Node, stack: String, stackName: String, environment: OrderedDictionary<String, Located<String>>,
    credentials: Set<String>, deploymentID: String, clusterID: String, pods: OrderedDictionary<String, Int>,
    dockerVolumes: OrderedDictionary<String, Located<String>>
) -> (document: Node, notes: [Diagnostic]) {
    var spec = LegacySpec(entries: document.mapping?.entries ?? [])
    spec.name(stack)
    spec.setUnknownKeysAside()
    spec.keepNamespace(of: stackName, project: clusterID)
    spec.keepConfig(environment, credentials: credentials)
    spec.noteSecrets()
    spec.keepClaims(of: deploymentID)
    spec.colocate(pods)
    spec.noteVolumes(docker: dockerVolumes)
    spec.noteKind()
    spec.noteResources()
    return (Node(.mapping(Mapping(spec.entries)), mark: document.mark), spec.notes.list)
}

/// A spec of stack-orchestrator on its way to becoming one of ours.
private struct LegacySpec {
    var entries: [Mapping.Entry]
    var notes = Diagnostics()

    private subscript(_ key: String) -> Node? {
        entries.first { $0.key == key }.flatMap { $0.value.isNull ? nil : $0.value }
    }

    private mutating func set(_ key: String, _ value: Node) {
        if let index = entries.firstIndex(where: { $0.key == key }) {
            entries[index].value = value
        } else {
            entries.append(Mapping.Entry(key: key, value: value))
        }
    }

    private var isCluster: Bool { target != "compose" && target != "podman" }

    private var target: String { self["deploy-to"]?.text ?? "compose" }

    mutating func name(_ stack: String) {
        set("stack", .string(stack))
        if self["deploy-to"] == nil { set("deploy-to", .string("podman")) }
    }

    /// stack-orchestrator read over a key that it did not know; here it would be an error, and dropping it would lose it.
    mutating func setUnknownKeysAside() {
        let known = Spec.table.names
        let unknown = entries.filter { !known.contains($0.key) && !$0.key.hasPrefix("x-") }
        guard !unknown.isEmpty else { return }
        entries.removeAll { entry in unknown.contains { $0.key == entry.key } }
        set("x-imported", Node(.mapping(Mapping(unknown))))
        for entry in unknown {
            notes.warning(
                "'\(entry.key)' is not a known key and is kept under x-imported", at: entry.keyMark,
                hint: nearest(entry.key, in: known.sorted()).map { "is it '\($0)'?" }
                    ?? "remove it when you do not need it")
        }
    }

    /// On one host each deployment of a stack was a compose project of its own, in a cluster all of them shared a namespace.
    mutating func keepNamespace(of stackName: String, project: String) {
        guard self["namespace"] == nil else { return }
        if isCluster {
            set("namespace", .string("laconic-\(stackName.replacing("_", with: "-"))"))
        } else if isLabel(project) {
            set("namespace", .string(project))
        }
    }

    mutating func keepConfig(_ environment: OrderedDictionary<String, Located<String>>, credentials: Set<String>) {
        var config = self["config"]?.mapping?.entries ?? []
        for (name, value) in environment where !credentials.contains(name) {
            guard let index = config.firstIndex(where: { $0.key == name }) else {
                config.append(Mapping.Entry(key: name, value: .string(value.value)))
                notes.warning("\(name) is in config.env only, and is taken into the spec's config", at: value.mark)
                continue
            }
            guard config[index].value.text ?? "" != value.value else { continue }
            config[index].value = .string(value.value)
            notes.warning(
                "\(name) differs from the spec's config: the containers got the value of config.env, which is taken",
                at: config[index].keyMark, hint: "see \(value.mark)")
        }
        guard !config.isEmpty else { return }
        set("config", Node(.mapping(Mapping(config))))
        guard self["config-scope"] == nil else { return }
        let scope = isCluster ? ConfigScope.all : .interpolation
        set("config-scope", .string(scope.rawValue))
        notes.warning(
            isCluster
                ? "every container gets every value of config, as it did"
                : "values of config stand for ${NAME} in the compose files only, as they did",
            at: entries.first { $0.key == "config" }?.keyMark,
            hint: "remove `config-scope: \(scope.rawValue)` to give each service what it declares")
    }

    /// stack-orchestrator wrote generated values to a Secret that no container read, and left them out of config.env.
    mutating func noteSecrets() {
        for entry in self["config"]?.mapping?.entries ?? [] where entry.value.text?.contains("$generate:") ?? false {
            notes.warning(
                "\(entry.key) is generated at the first start here; no container of stack-orchestrator ever got its value",
                at: entry.keyMark,
                hint: "where data was made with a value of your own, write that one into a credentials file")
        }
    }

    /// Claims that the cluster provisioned go by the names that stack-orchestrator gave them.
    mutating func keepClaims(of deploymentID: String) {
        guard isCluster else { return }
        let volumes = self["volumes"]?.mapping?.entries ?? []
        let provisioned = volumes.filter(\.value.isNull)
        guard !provisioned.isEmpty else { return }
        let placed = volumes.filter { !$0.value.isNull }
        if placed.isEmpty {
            entries.removeAll { $0.key == "volumes" }
        } else {
            set("volumes", Node(.mapping(Mapping(placed))))
        }
        override(
            "volumes",
            .map(
                provisioned.map { entry in
                    (
                        entry.key,
                        .map([("external", .plain("true")), ("name", .string("\(deploymentID)-\(entry.key)"))])
                    )
                }))
        for entry in provisioned {
            notes.warning(
                "the volume \(entry.key) stays the claim \(deploymentID)-\(entry.key), which so neither makes nor deletes",
                at: entry.keyMark, hint: "delete it by hand when its data is not needed any more")
        }
    }

    /// stack-orchestrator made one pod of each compose file in a cluster: what its containers say to each other on localhost must go on.
    mutating func colocate(_ pods: OrderedDictionary<String, Int>) {
        let several = pods.filter { $0.value > 1 }.keys
        guard isCluster, !several.isEmpty else { return }
        override("pods", .list(several.map { .map([("name", .string($0)), ("colocate", .plain("true"))]) }))
        notes.warning(
            "the services of \(several.joined(separator: ", ")) stay in one pod, as they were", at: nil,
            hint: "remove `overrides.pods` to give each service a pod of its own")
    }

    private mutating func override(_ key: String, _ value: Node) {
        var mapping = self["overrides"]?.mapping ?? Mapping()
        guard mapping[key] == nil else { return }
        mapping.entries.append(Mapping.Entry(key: key, value: value))
        set("overrides", Node(.mapping(mapping)))
    }

    mutating func noteVolumes(docker: OrderedDictionary<String, Located<String>>) {
        let written = self["volumes"]?.mapping?.entries ?? []
        for entry in written {
            guard let path = entry.value.text, !entry.value.isNull else {
                noteDockerVolume(entry.key, docker[entry.key]?.value, at: entry.keyMark)
                continue
            }
            guard !path.hasPrefix("/"), !path.hasPrefix("~") else { continue }
            notes.warning(
                "the volume \(entry.key) is \(path) of this directory: `stop --delete-volumes` is about volumes of this kind too, "
                    + "which stack-orchestrator's left alone", at: entry.keyMark,
                hint: "write its absolute path to have it never deleted")
        }
        // In a cluster stack-orchestrator mounted only what the spec names.
        guard !isCluster else { return }
        for (volume, name) in docker where !written.contains(where: { $0.key == volume }) {
            noteDockerVolume(volume, name.value, at: name.mark)
        }
    }

    /// Podman sees nothing of docker's volumes: the service would start empty without a word.
    private mutating func noteDockerVolume(_ volume: String, _ name: String?, at mark: Mark?) {
        let copy = name.map {
            "docker run --rm --volume \($0):/from --volume \"$PWD/data/\(volume)\":/to busybox cp -a /from/. /to"
        }
        notes.warning(
            "the volume \(volume) is docker's own\(name.map { ", \($0)" } ?? ""), and starts empty here: its data is not in the directory",
            at: mark,
            hint:
                "before the first start copy it (\(copy ?? "into data/\(volume)")), and write `volumes: {\(volume): ./data/\(volume)}` into spec.yml"
        )
    }

    /// What a cluster that stack-orchestrator made has otherwise.
    mutating func noteKind() {
        guard target == "k8s-kind" else { return }
        notes.warning(
            "a kind cluster that stack-orchestrator made has its own ingress controller on ports 80 and 443, and only the directories "
                + "mounted that it was made with", at: nil,
            hint:
                "`so cluster status` shows what it has; where a start names what is missing, stop all of its deployments and make it "
                + "again: so cluster destroy, then so cluster create")
    }

    mutating func noteResources() {
        guard isCluster, self["resources"]?.mapping?["containers"] == nil else { return }
        notes.warning(
            "containers ran with 1 CPU and 2000M requested, up to 4 CPUs and 8000M, which nobody wrote; here they have no requests",
            at: nil, hint: "write resources.containers to have them")
    }
}
