import Compose
import OrderedCollections
import Stacks
import YAML

/// Directories that belong to the services or the operator once they are made.
extension Layout {
    /// A directory that a service writes to is its own from the first create on.
    mutating func own(_ directory: String, filledFrom source: String) {
        contents.directories.append(directory)
        contents.owned.insert(directory)
        addSeeds(source, to: directory, followsStack: !directory.hasPrefix("data/"))
    }

    /// Makes the directories that the spec's volumes and ConfigMaps lead to, filled from config/<name> the first time.
    mutating func addVolumes() {
        for (name, path) in request.spec.volumes {
            if let path = path.value {
                addOwned(name, path: path, at: request.spec.volumes[name]?.mark, isVolume: true)
            }
        }
        for (name, path) in request.spec.configmaps { addOwned(name, path: path.value, at: path.mark) }
    }

    private mutating func addOwned(_ name: String, path: String, at mark: Mark?, isVolume: Bool = false) {
        guard !path.hasPrefix("/"), !path.hasPrefix("~") else { return }
        let target = Files.absolute("/\u{1}/\(path)")
        guard target.hasPrefix("/\u{1}/") else {
            diagnostics.error(
                "the path `\(path)` of \(name) leaves the deployment directory", at: mark,
                hint: "write a path such as ./data/\(name), or an absolute one")
            return
        }
        let inside = String(target.dropFirst(3))
        contents.directories.append(inside)
        contents.owned.insert(inside)
        guard
            let source = request.stack.allRoots.map({ "\($0)/config/\(name)" }).first(where: {
                request.tree.kind($0) == .directory
            })
        else { return }
        addSeeds(source, to: inside, followsStack: !isVolume)
    }

    private mutating func addSeeds(_ directory: String, to target: String, followsStack: Bool = false) {
        for name in (try? request.tree.list(directory).sorted()) ?? [] {
            let source = "\(directory)/\(name)"
            switch request.tree.kind(source) {
            case .directory: addSeeds(source, to: "\(target)/\(name)", followsStack: followsStack)
            case .file:
                var seed = DeploymentFile(path: "\(target)/\(name)", content: .copy(source))
                seed.followsStack = followsStack
                contents.seeds.append(seed)
            default: continue
            }
        }
    }
}

extension LayeredProject {
    /// Directories that services mount for writing, those that are not there yet too; only podman mounts them from the host.
    func writableBinds(target: DeploymentTarget, tree: FileTree) -> Set<String> {
        guard target == .podman else { return [] }
        let services = project.services.values + jobs.values.flatMap(\.services.values)
        let mounts = services.flatMap(\.volumes).filter { $0.kind == .bind && !$0.isReadOnly }
        return Set(mounts.compactMap(\.source).filter { tree.kind($0) != .file })
    }
}
