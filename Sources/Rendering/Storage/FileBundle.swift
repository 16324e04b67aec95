import Compose
import KubernetesObjects
import OrderedCollections
import SystemCrypto
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

extension PodStage {
    /// The ConfigMap of files, named by a digest of their names and content, so that a change rolls what mounts it.
    mutating func bundle(
        _ set: BundledFiles, name: String, isFile: Bool, labels: StringMap, annotations: [String: String] = [:]
    ) -> FileBundle {
        var map = ConfigMap(metadata: ObjectMeta())
        var items: [KeyToPath] = []
        var digest: [UInt8] = []
        var keys: Set<String> = []
        for file in set.files.sorted(by: { $0.path < $1.path }) {
            var key = Names.dataKey(file.path)
            while !keys.insert(key).inserted { key += "_" }
            if let text = Self.text(file.bytes) {
                map.data = (map.data ?? [:]).merging([key: text])
            } else {
                map.binaryData = (map.binaryData ?? [:]).merging([key: base64(file.bytes)])
            }
            items.append(KeyToPath(key: key, path: file.path, mode: Self.mode(of: file.bytes, file.mode)))
            digest += Array("\(key.utf8.count):\(key)\(file.bytes.count):".utf8) + file.bytes
        }
        let base = Names.label(name)
        let fullName = "\(base.isEmpty ? "files" : String(base.prefix(52)))-\(sha256Hex(digest).prefix(10))"
        if storage.configMaps[fullName] == nil {
            map.metadata = metadata(
                fullName, labels: labels, annotations: annotations.filter { Names.isFreeAnnotation($0.key) })
            storage.configMaps[fullName] = map
        }
        return FileBundle(configMap: fullName, items: items, isFile: isFile)
    }

    /// The permissions of a file. Who may read a script may run it: a checkout or an editor easily loses that bit, and
    /// stacks of stack-orchestrator rely on it, which made every file of a ConfigMap executable.
    private static func mode(of bytes: [UInt8], _ mode: UInt16) -> Int {
        let isScript = bytes.starts(with: "#!".utf8)
        return Int(mode & 0o777 | (isScript ? (mode & 0o444) >> 2 : 0))
    }

    /// The bytes as text, if text is what they are.
    private static func text(_ bytes: [UInt8]) -> String? {
        guard !bytes.contains(0) else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }
}
