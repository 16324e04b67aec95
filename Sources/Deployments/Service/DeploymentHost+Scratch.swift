import Glibc
import Runtimes

extension DeploymentHost {
    /// Runs the body with a directory of its own, mode 0700, which is removed afterwards.
    func withScratch<Result>(_ name: String, _ body: (String) async throws -> Result) async throws -> Result {
        let base = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        let path = "\(base)/\(name)-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try Files.makeDirectory(path, mode: 0o700)
        defer { try? Files.remove(path) }
        return try await body(path)
    }
}
