import KubernetesObjects
import OrderedCollections
import SystemCrypto
import YAML

extension StorageDraft {
    /// The ConfigMap of files, named by a digest of their names and content, so that a change rolls what mounts it.
    ///
    /// - Parameter metadata: the ConfigMap's; its name is replaced.
    mutating func bundle(
        _ set: BundledFiles, name: String, isFile: Bool, metadata: ObjectMeta
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
        if configMaps[fullName] == nil {
            map.metadata = metadata
            map.metadata.name = fullName
            configMaps[fullName] = map
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
