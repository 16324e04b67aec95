import Deployments
import Glibc
import Runtimes

extension SessionService {
    /// The ports of this host that sessions' ports are led to.
    static let hostPorts = 8081...8199

    /// A project's repository, for git with the operator's environment.
    func repository(at directory: String) async throws(WorkspaceError) -> ProjectRepository {
        try await ProjectRepository.open(directory, host: deployments.host.environment)
    }

    /// Chooses networks, token and ports that nobody else has, and writes them down; what is chosen already and still free stays.
    ///
    /// - Parameter isUp: whether its pods run, and hold their ports themselves.
    func choosePlaces(_ record: inout SessionRecord, _ definition: WorkspaceDefinition, isUp: Bool) async throws {
        let lock = try await store.lockPorts()
        let others = try store.all().filter { [id = record.id] in $0.id != id && $0.state != .closed }
        if record.addresses == nil, record.place.fixesAddresses {
            record.addresses = try store.freeAddresses()
        }
        if record.token == nil { record.token = try SessionAddresses.randomToken() }
        let lasting = try LastingStore(state: store.state).all().flatMap { ($0.ports ?? [:]).values }
        record.ports = try Self.hostPorts(
            of: record.place.publishesPorts ? definition.ports : [], had: record.ports, isUp: isUp,
            besides: Set(others.flatMap(\.ports.values) + lasting))
        try store.write(record)
        _ = consume lock
    }

    /// A port of this host for each port of a pod.
    ///
    /// - Parameters:
    ///   - had: those that it had before, which it keeps where they are still free.
    ///   - isUp: whether its pods run, and hold their ports themselves.
    ///   - taken: those of others.
    static func hostPorts(
        of ports: [Int], had: [Int: Int], isUp: Bool, besides taken: Set<Int>
    ) throws(WorkspaceError) -> [Int: Int] {
        var taken = taken
        var result: [Int: Int] = [:]
        for port in ports {
            let own = had[port]
            let chosen = if isUp, let own { own } else { try freePort(isUp ? nil : own, besides: taken) }
            taken.insert(chosen)
            result[port] = chosen
        }
        return result
    }

    private static func freePort(_ wanted: Int?, besides taken: Set<Int>) throws(WorkspaceError) -> Int {
        // From anywhere on: what other users of this host choose in the same moment is not known here.
        let all = Array(hostPorts)
        let first = Int.random(in: all.indices)
        let candidates = (wanted.map { [$0] } ?? []) + all[first...] + all[..<first]
        guard let port = candidates.first(where: { !taken.contains($0) && isFree($0) }) else {
            throw WorkspaceError(
                .unavailable, "no port from \(hostPorts.lowerBound) to \(hostPorts.upperBound) is free",
                hint: "end a session that has one: so session ls")
        }
        return port
    }

    /// Whether nobody listens there, neither on loopback nor on all addresses.
    private static func isFree(_ port: Int) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var reuse: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &reuse, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// Where a session's ports answer on this host.
    package func urls(_ record: SessionRecord) -> [SessionAddress] {
        SessionAddress.list(
            record.ports, name: "\(record.projectName)-\(record.id.token)", routes: record.routes ?? [:])
    }
}

extension SessionStore {
    /// Networks that no session, no lasting workspace and no route of this host has; whoever asks holds ``lockPorts()``.
    func freeAddresses() throws -> SessionAddresses {
        let sessions = try all().filter { $0.state != .closed }.compactMap(\.addresses?.block)
        let lasting = try LastingStore(state: state).all().compactMap(\.addresses?.block)
        return try .choose(besides: Set(sessions + lasting), routed: SessionAddresses.hostRoutes())
    }
}
