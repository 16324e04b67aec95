import Compose
import Glibc
import Runtimes
import Specs

/// Compose files that are not files of the disk: `-` is standard input, and a shell's `<(…)` is a pipe. Each is read once and stands in
/// the working directory, where its relative paths start.
struct PipedInput {
    /// The compose loader refuses what is larger; an endless pipe must end too.
    static let limit = 64 << 20

    /// Absolute paths, those of pipes made up.
    var files: [String] = []
    var tree = FileTree.disk

    /// - Throws: `DeploymentError` (`missing`) naming the file that is not there.
    init(_ files: [String]) throws {
        for file in files {
            if file == "-" {
                add(bytes: Self.readAll(STDIN_FILENO), name: "(standard input)")
            } else if Self.isPipe(file) {
                let descriptor = open(file, O_RDONLY | O_CLOEXEC)
                guard descriptor >= 0 else { throw DeploymentError(.missing, "\(file) cannot be read") }
                defer { close(descriptor) }
                add(bytes: Self.readAll(descriptor), name: "(pipe \(self.files.count + 1))")
            } else if Files.exists(file) {
                self.files.append(Files.absolute(file))
            } else {
                throw DeploymentError(.missing, "no file \(file)", hint: "correct the path of -f")
            }
        }
    }

    private mutating func add(bytes: [UInt8], name: String) {
        let path = "\(Host.workingDirectory)/\(name)"
        tree = tree.adding(path, bytes: bytes)
        files.append(path)
    }

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// All of standard input.
    static func standardInput() -> [UInt8] { readAll(STDIN_FILENO) }

    private static func readAll(_ descriptor: Int32) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while bytes.count <= limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }
}
