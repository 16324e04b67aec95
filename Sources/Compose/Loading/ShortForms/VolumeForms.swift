import YAML

/// `[SOURCE:]TARGET[:OPTIONS]`.
struct VolumeSpecification {
    private(set) var source: String?
    private(set) var target = ""
    private(set) var options: [String] = []

    /// What is wrong with a short form.
    enum Problem: Error, Hashable {
        case empty
        case emptyPart
        case tooManyParts
    }

    init(_ text: String) throws(Problem) {
        guard !text.isEmpty else { throw .empty }
        var parts = Self.parts(text)
        // `v:/path` and `v:/path:ro` name no path of a Linux container after a drive, so v is a volume.
        if isWindowsPath(text), text.dropFirst(2).hasPrefix("/"), parts.dropFirst().allSatisfy(Self.isOption) {
            parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        }
        guard !parts.contains(where: \.isEmpty) else { throw .emptyPart }
        switch parts.count {
        case 1: target = parts[0]
        case 2: (source, target) = (parts[0], parts[1])
        case 3:
            (source, target) = (parts[0], parts[1])
            options = parts[2].split(separator: ",").map(String.init)
        default: throw .tooManyParts
        }
    }

    /// The parts between colons; the colon of a Windows drive separates nothing.
    private static func parts(_ text: String) -> [String] {
        var parts: [String] = []
        var current = ""
        for character in text {
            if character == ":" && !(current.count == 1 && current.allSatisfy(\.isLetter)) {
                parts.append(current)
                current = ""
            } else {
                current.append(character)
            }
        }
        return parts + [current]
    }

    /// Whether a part can be neither a path nor a part of a Windows path.
    private static func isOption(_ part: String) -> Bool { !part.contains("/") && !part.contains("\\") }

    var isBind: Bool { source.map(isFilePath) ?? false }
}

/// Whether a volume's source is a path, not the name of a volume.
func isFilePath(_ source: String) -> Bool {
    switch source.first {
    case ".", "/", "~", "\\": true
    default: isWindowsPath(source)
    }
}

/// Whether a text begins with a drive, or is a UNC path or a named pipe.
func isWindowsPath(_ text: String) -> Bool {
    if text.hasPrefix("\\\\") { return true }
    let bytes = Array(text.utf8.prefix(3))
    guard bytes.count >= 2, bytes[1] == UInt8(ascii: ":") else { return false }
    return isNameStart(bytes[0]) && bytes[0] != UInt8(ascii: "_")
}

extension LoadState {
    private static let propagations: Set<String> = [
        "rprivate", "private", "rshared", "shared", "rslave", "slave",
    ]

    /// The long form of an entry of `volumes`.
    func canonicalVolume(_ item: Node, path: String) -> [Node] {
        guard let text = item.text, !item.isNull else { return [item] }
        if refusesSecret(text, in: "`\(path)`", at: item.mark) { return [] }
        do throws(VolumeSpecification.Problem) {
            return [longForm(try VolumeSpecification(text), at: item.mark, path: path)]
        } catch {
            // A variable may stand there.
            guard options.interpolates else { return [item] }
            let what =
                switch error {
                case .empty: "an empty volume"
                case .emptyPart: "an empty part between colons in `\(text)`"
                case .tooManyParts: "too many colons in `\(text)`"
                }
            self.error("`\(path)`: \(what)", at: item.mark, hint: "write SOURCE:TARGET[:ro], or the long form")
            return []
        }
    }

    private func longForm(_ volume: VolumeSpecification, at mark: Mark, path: String) -> Node {
        var fields: [(String, Node)] = [("type", .string(volume.isBind ? "bind" : "volume", mark: mark))]
        if let source = volume.source { fields.append(("source", .string(source, mark: mark))) }
        fields.append(("target", .string(volume.target, mark: mark)))
        var bind: [(String, Node)] = []
        var noCopy = false
        var access: String?
        for option in volume.options {
            switch option {
            case "ro", "rw": access = option
            case "nocopy": noCopy = true
            case "z", "Z": bind.append(("selinux", .string(option, mark: mark)))
            case _ where Self.propagations.contains(option): bind.append(("propagation", .string(option, mark: mark)))
            default:
                warning(
                    "`\(path)`: the option `\(option)` is not known and has no effect", at: mark,
                    hint: "use ro, rw, z, Z, nocopy or a propagation")
            }
        }
        if let access { fields.append(("read_only", .plain(access == "ro" ? "true" : "false", mark: mark))) }
        if !bind.isEmpty { fields.append(("bind", mapping(bind, at: mark))) }
        if noCopy { fields.append(("volume", mapping([("nocopy", .plain("true", mark: mark))], at: mark))) }
        return mapping(fields, at: mark)
    }

    /// The long form of an entry of `devices`.
    func canonicalDevice(_ item: Node, path: String) -> [Node] {
        guard let text = item.text, !item.isNull else { return [item] }
        if refusesSecret(text, in: "`\(path)`", at: item.mark) { return [] }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 3, let source = parts.first, !source.isEmpty else {
            error(
                "`\(path)`: invalid device `\(text)`", at: item.mark,
                hint: "write SOURCE[:TARGET[:rwm]], or the long form")
            return []
        }
        let target = parts.count > 1 && !parts[1].isEmpty ? parts[1] : source
        let permissions = parts.count > 2 ? parts[2] : "rwm"
        return [
            mapping(
                [
                    ("source", .string(source, mark: item.mark)), ("target", .string(target, mark: item.mark)),
                    ("permissions", .string(permissions, mark: item.mark)),
                ], at: item.mark)
        ]
    }

    private func mapping(_ fields: [(String, Node)], at mark: Mark) -> Node {
        Node(.mapping(Mapping(fields.map { Mapping.Entry(key: $0.0, keyMark: mark, value: $0.1) })), mark: mark)
    }
}
