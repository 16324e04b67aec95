import Compose
package import OrderedCollections
import Runtimes
package import Specs
import YAML

/// What an update does to a deployment's volumes: nothing that holds data is ever removed by it.
package struct VolumeChanges: Hashable, Sendable {
    /// Volumes that the stack has new, with the directories that they get: the spec does not place them.
    package var placed: OrderedDictionary<String, String> = [:]
    /// Volumes that nothing mounts any more, with where their data stays.
    package var dropped: [String] = []

    package init() {}
}

extension LayeredProject {
    /// The named volumes that services mount, without those that exist elsewhere.
    fileprivate var mountedVolumes: OrderedSet<String> {
        var result: OrderedSet<String> = []
        for part in [project] + jobs.values {
            for mount in part.services.values.flatMap(\.volumes) where mount.kind == .volume {
                guard let name = mount.source, part.volumes[name]?.isExternal != true else { continue }
                result.append(name)
            }
        }
        return result
    }
}

extension DeploymentDirectory {
    private var placesFile: String { "\(stateDirectory)/volumes.yml" }

    /// The directories that updates gave to volumes; the spec's own come first.
    func placedVolumes() throws -> OrderedDictionary<String, String> {
        guard let bytes = try Files.readIfPresent(placesFile) else { return [:] }
        var result: OrderedDictionary<String, String> = [:]
        for entry in try loadYAMLDocument(bytes, file: placesFile).mapping?.entries ?? [] {
            result[entry.key] = entry.value.text
        }
        return result
    }

    /// The volumes that earlier updates placed.
    package func placedVolumeNames() throws -> [String] { Array(try placedVolumes().keys) }

    /// Compares the deployment's volumes with those of the stack that it is updated to.
    ///
    /// A volume that is new gets a directory below data/, as `deploy init` would have given it one; on a cluster elsewhere it is a
    /// volume of the cluster's.
    package func volumeChanges(_ request: CreateRequest) throws -> VolumeChanges {
        var ignored = Diagnostics()
        var changes = VolumeChanges()
        changes.placed = try placedVolumes()
        let old = try? LoadedDeployment.load(self, options: request.options)
        var spec = request.spec
        spec.place(changes.placed)
        let new = layer(request.stack, spec: spec, options: request.options, tree: request.tree, diagnostics: &ignored)
        guard let old, let new else { return changes }
        let (before, after) = (old.project.mountedVolumes, new.mountedVolumes)
        if !request.spec.ties.isElsewhere {
            for name in after where !before.contains(name) && spec.volumes[name] == nil && spec.configmaps[name] == nil
            {
                guard new.project.volumes[name]?.driverOpts.isEmpty != false else { continue }
                changes.placed[name] = "./data/\(name)"
            }
        }
        for name in before where !after.contains(name) {
            let path = old.spec.volumes[name]?.value
            changes.dropped.append(path.map { "\(name) (\($0))" } ?? name)
        }
        return changes
    }

    /// Keeps the places of new volumes; before the update, so that no start can make such a volume anywhere else.
    package func record(_ changes: VolumeChanges) throws {
        guard changes.placed != (try placedVolumes()) else { return }
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        try Files.write(Array(Node.map(changes.placed.map { ($0.key, .string($0.value)) }).yaml().utf8), to: placesFile)
    }
}

extension Spec {
    /// Places volumes that the spec itself does not.
    package mutating func place(_ places: OrderedDictionary<String, String>) {
        for (name, path) in places where volumes[name] == nil && configmaps[name] == nil {
            volumes[name] = Located(path, at: Mark(file: ".state/volumes.yml"))
        }
    }
}
