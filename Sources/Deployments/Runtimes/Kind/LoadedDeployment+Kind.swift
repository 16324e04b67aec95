import OrderedCollections
import Rendering
import Stacks

extension LoadedDeployment {
    /// The directories that the volumes need on kind's nodes: the mount root as a whole, every other one by itself.
    package var kindMounts: [KindMount] {
        var mounts: [KindMount] = []
        let root = spec.kindMountRoot
        if let root { mounts.append(KindMount(hostPath: root, nodePath: "/mnt")) }
        for (key, volume) in spec.volumes {
            guard let written = volume.value else { continue }
            let path = Files.canonical(spec.path(written, homeDirectory: homeDirectory))
            if let root, path == root || path.hasPrefix(root + "/") { continue }
            mounts.append(KindMount(hostPath: path, nodePath: "/mnt/\(namespace)-\(Names.label(key))"))
        }
        return mounts
    }
}
