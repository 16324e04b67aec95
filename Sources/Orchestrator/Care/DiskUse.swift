import ExternalTools
import Workspaces

/// What directories take on a disk, by du(1): it counts blocks, and each hard link once.
enum DiskUse {
    /// - Parameter host: the operator's environment.
    static func bytes(below directory: String, host: [String: String]) async throws -> Int64 {
        // 1: some of it could not be read, or went away meanwhile; what could be counted is there.
        total(try await Command("du", ["-sk", "--", directory], host: host).result().text)
    }

    static func bytes(in pod: any PodShell, below directories: [String]) async throws -> Int64 {
        total(try await pod.capture(["du", "-sk", "--"] + directories, limit: 1 << 16).text)
    }

    private static func total(_ text: String) -> Int64 {
        text.split(separator: "\n").compactMap { $0.split(separator: "\t").first.flatMap { Int64($0) } }.reduce(0, +)
            << 10
    }
}
