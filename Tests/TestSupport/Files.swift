import FoundationEssentials

/// Writes a text file and the directories above it.
package func write(_ text: String, to path: String, mode: Int = 0o644) throws {
    let parent = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: URL(filePath: path))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
}

/// A file's text; bytes that are not UTF-8 are replaced.
package func read(_ path: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
}

package func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: path)
}

/// A file's permission bits, such as 0o600.
package func mode(_ path: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    return (attributes[.posixPermissions] as? Int ?? 0) & 0o7777
}

/// Every regular file below a directory, as sorted paths relative to it.
package func files(below directory: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: directory).filter { path in
        var isDirectory = false
        let full = directory + "/" + path
        return FileManager.default.fileExists(atPath: full, isDirectory: &isDirectory) && !isDirectory
    }.sorted()
}

/// The files below a directory that hold a text; none may hold a secret but the one made for it.
package func files(below directory: String, holding text: String) throws -> [String] {
    try files(below: directory).filter { path in
        (try? read(directory + "/" + path))?.contains(text) ?? false
    }
}
