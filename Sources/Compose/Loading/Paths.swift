/// An absolute path without `.`, `..`, empty parts and trailing slashes, as Go's filepath.Clean does it; a relative path
/// keeps leading `..`.
package func normalizedPath(_ path: String) -> String {
    let isAbsolute = path.utf8.first == UInt8(ascii: "/")
    var parts: [Substring] = []
    for part in path.split(separator: "/", omittingEmptySubsequences: true) where part != "." {
        if part != ".." {
            parts.append(part)
        } else if let last = parts.last, last != ".." {
            parts.removeLast()
        } else if !isAbsolute {
            parts.append(part)
        }
    }
    let joined = parts.joined(separator: "/")
    if isAbsolute { return "/" + joined }
    return joined.isEmpty ? "." : joined
}

/// A path as seen from a directory: absolute paths stay, others are appended.
package func absolutePath(_ path: String, in directory: String) -> String {
    path.hasPrefix("/") ? normalizedPath(path) : normalizedPath(directory + "/" + path)
}

/// The directory that holds a path.
package func parentDirectory(_ path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The last part of a path.
package func lastPathComponent(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
}
