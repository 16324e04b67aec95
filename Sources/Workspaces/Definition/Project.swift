import Glibc
import Runtimes
import SystemCrypto

/// A directory that has, or gets, workspaces and sessions.
package struct Project: Hashable, Sendable {
    /// Absolute, without symbolic links.
    package let path: String
    /// `<folder>-<8 hex of SHA-256 of the path>`: a DNS label of at most 40 characters that begins with a letter.
    package let name: String
    /// Who the directory belongs to.
    package let owner: PodUser

    /// - Throws: ``WorkspaceError`` (`missing`) where the path is not a directory.
    package init(_ path: String) throws(WorkspaceError) {
        let path = Files.canonical(path)
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw WorkspaceError(.missing, "no directory \(path)", hint: "go to the project, or name it")
        }
        self.init(path: path, owner: PodUser(user: Int(status.st_uid), group: Int(status.st_gid)))
    }

    /// - Parameter path: absolute, without symbolic links.
    package init(path: String, owner: PodUser) {
        self.path = path
        self.owner = owner
        name = "\(Self.safe(path))-\(sha256Hex(path).prefix(8))"
    }

    /// The project's definition.
    package var definitionFile: String { path == "/" ? "/workspace.yml" : "\(path)/workspace.yml" }

    /// The folder as the beginning of a DNS label: https://www.rfc-editor.org/rfc/rfc1035#section-2.3.1
    private static func safe(_ path: String) -> String {
        let folder = path.split(separator: "/").last.map { $0.lowercased() } ?? ""
        var text = ""
        for byte in folder.utf8 {
            let isPlain = (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
            if isPlain { text.unicodeScalars.append(UnicodeScalar(byte)) } else if text.last != "-" { text += "-" }
        }
        text = String(text.drop { $0 == "-" || $0.isNumber }.prefix(31))
        while text.last == "-" { text.removeLast() }
        return text.isEmpty ? "project" : text
    }
}
