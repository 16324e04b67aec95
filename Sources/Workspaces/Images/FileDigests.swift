import Glibc
import Runtimes
import SystemCrypto

/// The digests of large files, remembered by what the host says of each: reading a program of 26 MB again takes longer than claiming a pod.
struct FileDigests: Sendable {
    /// Absolute; made when needed.
    let directory: String

    /// The SHA-256 digest of a file's content in lower-case hexadecimal.
    func digest(of path: String) throws(DeploymentError) -> String {
        guard let before = Self.identity(path) else { return sha256Hex(try Files.read(path, limit: .max)) }
        let record = "\(directory)/\(sha256Hex(path).prefix(32))"
        if let known = try? Files.readIfPresent(record, limit: 1024) {
            let words = String(decoding: known, as: UTF8.self).split(separator: "\n").map(String.init)
            if words.count == 2, words[0] == before.text, words[1].utf8.count == 64 { return words[1] }
        }
        let digest = sha256Hex(try Files.read(path, limit: .max))
        // What was changed a moment ago could be changed again without another time: https://git-scm.com/docs/racy-git
        if before.age > 2, Self.identity(path)?.text == before.text { keep("\(before.text)\n\(digest)\n", in: record) }
        return digest
    }

    /// One that cannot be kept is made again the next time.
    private func keep(_ text: String, in record: String) {
        guard (try? Files.makeDirectory(directory, mode: 0o700)) != nil else { return }
        try? Files.write(Array(text.utf8), to: record, mode: 0o600)
    }

    /// The file that a path leads to, its size and the time of its last change of any kind, which no program can set.
    private static func identity(_ path: String) -> (text: String, age: Int)? {
        var found = stat()
        guard stat(path, &found) == 0 else { return nil }
        let (size, change) = (found.st_size, found.st_ctim)
        return ("\(found.st_dev) \(found.st_ino) \(size) \(change.tv_sec).\(change.tv_nsec)", time(nil) - change.tv_sec)
    }
}
