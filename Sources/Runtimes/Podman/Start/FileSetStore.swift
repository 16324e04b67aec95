import FoundationEssentials

/// The files of ConfigMaps, below the state directory: each set in a directory that is named by its content, whole or absent.
struct FileSetStore {
    private let root: String

    init(_ model: DeploymentModel) {
        root = model.stateDirectory + "/files"
    }

    func write(_ set: StateFiles) throws(DeploymentError) {
        let directory = "\(root)/\(set.digest)"
        if FileManager.default.fileExists(atPath: directory) { return }
        let aside = directory + ".new"
        try Files.remove(aside)
        for file in set.files {
            let path = "\(aside)/\(file.path)"
            try Files.makeDirectory(Files.parent(of: path), isExact: true)
            try Files.writeUnsynced(file.bytes, to: path, mode: UInt32(file.mode))
        }
        try Files.makeDirectory(aside, isExact: true)
        try Files.rename(aside, to: directory)
    }

    /// Removes what no pod mounts any more.
    func prune(keeping sets: Set<String>) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] where !sets.contains(name) {
            try? FileManager.default.removeItem(atPath: "\(root)/\(name)")
        }
    }
}
