import FoundationEssentials
import Specs

extension DeploymentModel {
    /// What may be deleted with the volumes: directories below the data directory that so made itself, those of volumes dropped meanwhile
    /// too, but not what the operator named by an absolute path. No link leads there.
    func ownDirectories() -> [String] {
        guard let dataDirectory else { return [] }
        let candidates = madeDirectories.map { $0.sorted() } ?? children(of: dataDirectory)
        var result: [String] = []
        for path in candidates where Files.exists(path) && !result.contains(where: { path.isPath(atOrBelow: $0) }) {
            result += deletable(path)
        }
        return result
    }

    /// What lies in the data directory and stays, with what the operator named by an absolute path.
    func keptDirectories() -> [String] {
        guard let dataDirectory, Files.exists(dataDirectory) else { return operatorPaths.sorted() }
        let found = leadsByLink(dataDirectory) ? [dataDirectory] : children(of: dataDirectory)
        let own = ownDirectories()
        let foreign = found.filter { path in !own.contains { path.isPath(atOrBelow: $0) || $0.isPath(atOrBelow: path) }
        }
        return operatorPaths.union(foreign).sorted()
    }

    /// Whether a path lies in the data directory, was made by so, and was not given by the operator.
    func isOwnDirectory(_ path: String) -> Bool {
        guard let dataDirectory, path.hasPrefix(dataDirectory + "/"), !path.split(separator: "/").contains("..") else {
            return false
        }
        if let madeDirectories, !madeDirectories.contains(where: { path.isPath(atOrBelow: $0) }) { return false }
        return !operatorPaths.contains { path.isPath(atOrBelow: $0) } && !leadsByLink(Files.parent(of: path))
    }

    private func deletable(_ path: String) -> [String] {
        if !isOwnDirectory(path) { return [] }
        guard operatorPaths.contains(where: { $0.hasPrefix(path + "/") }), !leadsByLink(path) else { return [path] }
        return children(of: path).flatMap(deletable)
    }

    private func children(of directory: String) -> [String] {
        if leadsByLink(directory) { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().map { "\(directory)/\($0)" }
    }

    /// Whether a directory of the deployment is elsewhere in truth; links above the deployment are its owner's.
    private func leadsByLink(_ path: String) -> Bool {
        guard let dataDirectory else { return false }
        let root = Files.parent(of: dataDirectory)
        return Files.canonical(path) != Files.canonical(root) + path.dropFirst(root.count)
    }
}
