import Compose
import KubernetesObjects
import OrderedCollections
import YAML

/// A ConfigMap made of files, and how they stand in a directory.
struct FileBundle: Hashable {
    var configMap: String
    var items: [KeyToPath]
    /// Whether the path was one file.
    var isFile: Bool
}

/// Files read for a ConfigMap, before it has a name.
struct BundledFiles {
    /// What a ConfigMap may hold; the API takes 1 MiB for an object, base64 and the rest included.
    static let limit = 700 << 10
    /// A directory with more files than this is not configuration.
    static let mostFiles = 500

    private(set) var files: [(path: String, bytes: [UInt8], mode: UInt16)] = []
    private(set) var size = 0

    /// Whether there is nothing but what keeps an empty directory in git.
    var isEmpty: Bool { files.allSatisfy { [".gitkeep", ".keep", ".gitignore"].contains($0.path) } }

    enum Problem: Error {
        case tooLarge
        case tooManyFiles
        case leavesDirectory(String)
        case special(String)
        case unreadable(FileTreeError)
    }

    /// Reads one file.
    mutating func add(_ path: String, as name: String, tree: FileTree) throws(Problem) {
        do {
            let bytes = try tree.read(path)
            size += bytes.count
            files.append((name, bytes, tree.mode(path) ?? 0o644))
        } catch {
            if error.code == .tooLarge { throw Problem.tooLarge }
            throw Problem.unreadable(error)
        }
        if size > Self.limit { throw Problem.tooLarge }
        if files.count > Self.mostFiles { throw Problem.tooManyFiles }
    }

    /// Reads a directory with all below it; a link that leaves it is refused.
    mutating func addDirectory(_ root: String, tree: FileTree) throws(Problem) {
        let real = tree.realPath(root) ?? root
        var pending = [""]
        var visited: Set<String> = []
        while let relative = pending.popLast() {
            let path = relative.isEmpty ? root : "\(root)/\(relative)"
            guard visited.insert(tree.realPath(path) ?? path).inserted else { continue }
            let names: [String]
            do { names = try tree.list(path) } catch { throw Problem.unreadable(error) }
            for name in names {
                let child = relative.isEmpty ? name : "\(relative)/\(name)"
                let full = "\(root)/\(child)"
                guard let target = tree.realPath(full),
                    target == real || target.hasPrefix(real == "/" ? "/" : real + "/")
                else {
                    throw Problem.leavesDirectory(child)
                }
                switch tree.kind(full) {
                case .file: try add(full, as: child, tree: tree)
                case .directory: pending.append(child)
                case .other: throw Problem.special(child)
                case .none: continue
                }
            }
        }
    }
}
