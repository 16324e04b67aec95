import FoundationEssentials
import SystemPackage

/// The files of ConfigMaps, below the state directory: each set in a directory that is named by its content, whole or absent.
struct FileSetStore {
    private let root: String

    init(_ model: DeploymentModel) {
        root = model.stateDirectory + "/files"
    }

    func write(_ set: FileSet) throws(DeploymentError) {
        let directory = "\(root)/\(set.digest)"
        if FileManager.default.fileExists(atPath: directory) { return }
        let aside = directory + ".new"
        do {
            try? FileManager.default.removeItem(atPath: aside)
            for file in set.files {
                let path = "\(aside)/\(file.path)"
                try makeDirectory(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
                try Data(file.bytes).write(to: URL(filePath: path))
                try FileManager.default.setAttributes([.posixPermissions: file.mode], ofItemAtPath: path)
            }
            try makeDirectory(aside)
            try rename(FilePath(aside), to: FilePath(directory))
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(.cannotCreate, "\(directory) cannot be written", cause: "\(error)")
        }
    }

    /// Removes what no pod mounts any more.
    func prune(keeping sets: Set<String>) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? [] where !sets.contains(name) {
            try? FileManager.default.removeItem(atPath: "\(root)/\(name)")
        }
    }
}
