import FoundationEssentials
import Glibc
import Runtimes
import SystemCrypto

/// What is known of sessions whose records are gone.
extension SessionStore {
    /// The label of all that runs for sessions of this store: by it, what has lost its record is told from what others keep on the same runtime.
    ///
    /// Written down once, for the name of a host may change; a store that was deleted as a whole gets the same again.
    func keeper() throws -> String {
        let file = "\(state)/keeper"
        if let bytes = try Files.readIfPresent(file) { return String(decoding: bytes, as: UTF8.self) }
        let host = try Files.readIfPresent("/etc/machine-id").map { String(decoding: $0, as: UTF8.self) } ?? ""
        let keeper = String(sha256Hex("\(host)\0\(ProcessInfo.processInfo.hostName)\0\(getuid())\0\(state)").prefix(32))
        try Files.makeDirectory(state, mode: 0o700)
        try Files.write(Array(keeper.utf8), to: file, mode: 0o600)
        return keeper
    }

    private var clustersDirectory: String { "\(state)/session-clusters" }

    /// Notes that sessions ran in a cluster: what they leave there is looked for, also when nothing else here knows of them.
    func note(cluster: SessionRuntime) throws {
        let name = sha256Hex("\(cluster.name)\0\(cluster.kubeconfig ?? "")").prefix(16)
        let file = "\(clustersDirectory)/\(name).json"
        guard !Files.exists(file) else { return }
        try Files.makeDirectory(clustersDirectory, mode: 0o700)
        try Files.write(Array(try JSONEncoder().encode(cluster)), to: file, mode: 0o600)
    }

    /// The clusters that sessions ran in, but for those whose kubeconfig is gone.
    func clusters() throws -> [SessionRuntime] {
        guard Files.isDirectory(clustersDirectory) else { return [] }
        return try Files.list(clustersDirectory).sorted().compactMap { name in
            let bytes = try Files.read("\(clustersDirectory)/\(name)")
            return try? JSONDecoder().decode(SessionRuntime.self, from: Data(bytes))
        }.filter { $0.kubeconfig.map { Files.exists($0) } ?? true }
    }
}
