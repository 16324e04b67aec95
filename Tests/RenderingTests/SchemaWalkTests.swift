import Compose
import KubernetesObjects
import Rendering
import Specs
import TestSupport
import Testing
import YAML

/// Every key of the compose schema, nested ones too, changes what is rendered or is named. None is dropped in silence.
@Suite struct SchemaWalkTests {
    /// What a render comes to, so that two can be compared.
    private struct Outcome: Equatable {
        var objects: String
        var workloads: [Workload]
        var secrets: [SecretTemplate]
        /// Which node ports are wanted.
        var ports: [String: Int] = [:]
        /// Those of podman that are kept apart.
        var networks: [PodmanNetwork] = []
        var diagnostics: [String]
    }

    private func outcome(of project: Node, target: RenderOptions.Target) throws -> Outcome {
        var diagnostics = Diagnostics()
        let files = SchemaSamples.files.merging(["/p/compose.yml": emitYAML([project])]) { $1 }
        let tree = FileTree.memory(texts: files)
        guard let project = loadProject(files: ["/p/compose.yml"], tree: tree, diagnostics: &diagnostics) else {
            return Outcome(objects: "", workloads: [], secrets: [], diagnostics: diagnostics.list.map(\.what))
        }
        let layered = LayeredProject(stackName: "s", spec: Spec(directory: "/p"), project: project)
        let options = RenderOptions(target: target, namespace: "n", deploymentID: "d", stackName: "s")
        let deployment = render(layered, options: options, tree: tree, diagnostics: &diagnostics)
        return Outcome(
            objects: try deployment.objects.map { try $0.node().json() }.joined(separator: "\n"),
            workloads: deployment.workloads, secrets: deployment.secrets, ports: deployment.wantedPorts,
            networks: deployment.networks,
            diagnostics: diagnostics.list.map(\.what))
    }

    /// Where the keys of a place stand in a file.
    private func path(_ place: KeyMapping.Place, _ key: String) -> [String] {
        let parts = key.split(separator: ".").map(String.init)
        return switch place {
        case .service: ["services", "*"] + parts
        case .network: ["networks", "*"] + parts
        case .volume: ["volumes", "*"] + parts
        case .config: ["configs", "*"] + parts
        case .secret: ["secrets", "*"] + parts
        case .top: parts
        }
    }

    /// Whether what became of a key is said by the key that it stands in.
    private func isNamed(_ row: KeyMapping, in full: Outcome) -> Bool {
        switch row.outcome {
        case .reported, .refused:
            let parts = row.key.split(separator: ".").filter { $0 != "*" && $0 != "[]" }.map(String.init)
            return full.diagnostics.contains { text in parts.allSatisfy(text.contains) }
        case .mapped, .loaded, .ignored: return false
        }
    }

    /// Keys that mean nothing to a render, and why that loses nothing.
    private static let elsewhere: [String: String] = [
        "top version": "compose ignores it", "top name": "a deployment is named by its stack",
        "network name": "the network is the deployment's own",
        "network external.name": "the network is the deployment's own: `external` is reported",
    ]
    private static let elsewhereOnPodman: [String: String] = [
        "service healthcheck.start_interval": "while a service starts, podman's check runs more often than that",
        "service ports.[].mode": "a port is the host's own, as `host` says",
        "service gpus.[].capabilities": "a device of the Container Device Interface has all its capabilities",
        "service deploy.resources.reservations.devices.[].capabilities": "likewise",
        "service deploy.endpoint_mode": "names lead to the pods, there are no virtual addresses",
    ]

    private static func schemaKeys() throws -> [(place: KeyMapping.Place, key: String)] {
        try read(Shared.packageRoot + "/Tests/RenderingTests/compose-schema-keys.txt").split(separator: "\n")
            .filter { !$0.hasPrefix("#") }.compactMap { line in
                let parts = line.split(separator: " ").map(String.init)
                return KeyMapping.Place(rawValue: parts[0]).map { ($0, parts[1]) }
            }
    }

    @Test(arguments: [RenderOptions.Target.kubernetes, .kind, .podman])
    func `a key is mapped or reported`(target: RenderOptions.Target) throws {
        let projects = try loadYAML(Array(SchemaSamples.documents.utf8), file: "samples")
        let full = try projects.map { try outcome(of: $0, target: target) }
        for (place, key) in try Self.schemaKeys() {
            guard Self.elsewhere["\(place) \(key)"] == nil else { continue }
            if target == .podman, Self.elsewhereOnPodman["\(place) \(key)"] != nil { continue }
            let row = try #require(KeyMapping.row(place, key))
            // What builds read is told where images are built: see BuildTests.
            if case .loaded = row.outcome, key.hasPrefix("build.") { continue }
            var isSet = false
            var hasEffect = false
            for (project, before) in zip(projects, full) {
                let without = project.removing(path(place, key)[...])
                guard without != project else { continue }
                isSet = true
                let after = try outcome(of: without, target: target)
                if after != before || isNamed(row, in: before) { hasEffect = true }
            }
            #expect(isSet, "\(place) \(key) is in no sample")
            #expect(!isSet || hasEffect, "\(place) \(key) is dropped in silence on \(target)")
        }
    }
}

extension Node {
    /// The tree without the values at a path, in which `*` is any key and `[]` any item.
    fileprivate func removing(_ path: ArraySlice<String>) -> Node {
        guard let first = path.first else { return self }
        let rest = path.dropFirst()
        if first == "[]" {
            guard let items = sequence else { return self }
            return Node(.sequence(items.map { $0.removing(rest) }), mark: mark)
        }
        guard var mapping else { return self }
        for entry in mapping.entries where entry.key == first || (first == "*" && !entry.key.hasPrefix("x-")) {
            mapping[entry.key] = rest.isEmpty ? nil : entry.value.removing(rest)
        }
        return Node(.mapping(mapping), mark: mark)
    }
}
