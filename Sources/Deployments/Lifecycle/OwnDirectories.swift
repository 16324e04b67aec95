import FoundationEssentials

extension DeploymentModel {
    /// All that lies in the data directory, that of volumes dropped meanwhile too, but what the operator named by an absolute path.
    func ownDirectories() -> [String] {
        guard let dataDirectory, !operatorPaths.contains(dataDirectory) else { return [] }
        return children(of: dataDirectory).flatMap(deletable)
    }

    /// Whether a path lies in the data directory and was not given by the operator.
    func isOwnDirectory(_ path: String) -> Bool {
        guard let dataDirectory else { return false }
        let isBelow = path.hasPrefix(dataDirectory + "/") && !path.split(separator: "/").contains("..")
        return isBelow && !operatorPaths.contains { path == $0 || path.hasPrefix($0 + "/") }
    }

    private func deletable(_ path: String) -> [String] {
        if !isOwnDirectory(path) { return [] }
        guard operatorPaths.contains(where: { $0.hasPrefix(path + "/") }), !isLink(path) else { return [path] }
        return children(of: path).flatMap(deletable)
    }

    private func children(of directory: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.sorted().map { "\(directory)/\($0)" }
    }

    private func isLink(_ path: String) -> Bool {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
    }
}
