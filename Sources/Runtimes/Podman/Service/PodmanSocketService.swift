import AsyncHTTPClient
package import ExternalTools
import FoundationEssentials
import Glibc
import NIOCore
import NIOHTTP1

/// `podman system service` on a socket in a directory of this user's alone.
///
/// It is started by the first question and ends by itself soon after the last one, also where this process was killed. No container is a child of
/// it, and nothing that it makes takes more than one step, so that its end at any moment leaves what the end of any other podman would.
package actor PodmanSocketService: PodmanService {
    private let podman: Podman
    private let directory: String
    /// The socket of the one that answers now; nil inside: none can be had.
    private var reached: Task<String?, Never>?
    private var isRunning = false

    /// How long it goes on without a question, in seconds.
    private static let idleSeconds = 2
    private static let answerLimit = 64 << 20
    /// Never shut down: it lives as long as the process, and keeps no connection. A podman that has ended meanwhile is not waited for.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// - Parameter directory: where its socket stands.
    init(_ podman: Podman, directory: String) {
        (self.podman, self.directory) = (podman, directory)
    }

    /// Lets it start, so that it is there when the first question comes.
    nonisolated func begin() { Task { await self.reach() } }

    package nonisolated func answer(_ query: PodmanQuery) async -> [UInt8]? {
        guard let socket = await reach() else { return nil }
        var objects: [[UInt8]] = []
        for path in query.paths {
            guard let (status, body) = await send(.GET, path, to: socket), status == 200 else { return nil }
            objects.append(body)
        }
        if query.isList { return objects.first }
        return [UInt8(ascii: "[")] + objects.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    package nonisolated func make(_ thing: PodmanCreation) async -> Bool {
        // Of its own: what was begun is waited for, whoever cancels.
        await Task {
            guard let socket = await reach(), let (status, _) = await send(.POST, thing.path, to: socket, thing.body)
            else { return false }
            return (200..<300).contains(status)
        }.value
    }

    // MARK: Requests

    private nonisolated func send(
        _ method: HTTPMethod, _ path: String, to socket: String, _ body: [UInt8]? = nil
    ) async -> (status: UInt, body: [UInt8])? {
        var request = HTTPClientRequest(url: "http+unix://\(percentEncoded(socket))/v4.0.0/libpod\(path)")
        request.method = method
        // A socket has no name that the client would send, and podman takes no request without one.
        request.headers.add(name: "Host", value: "podman")
        // A connection that is kept would keep podman.
        request.headers.add(name: "Connection", value: "close")
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(body)
        }
        do {
            let response = try await Self.client.execute(request, timeout: .seconds(60))
            let answer = try await response.body.collect(upTo: Self.answerLimit)
            return (response.status.code, Array(answer.readableBytesView))
        } catch {
            return nil
        }
    }

    // MARK: Life

    @discardableResult
    private func reach() async -> String? {
        if let reached { return await reached.value }
        let task = Task { await start() }
        reached = task
        return await task.value
    }

    /// - Returns: the socket; nil where this podman does not serve, or does not say that it does before it ends.
    private func start() async -> String? {
        guard (try? Files.makeDirectory(directory, mode: 0o700, isExact: true)) != nil else { return nil }
        removeAbandoned()
        let name = "\(directory)/\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let socket = name + ".sock"
        guard let readiness = ReadinessSocket(name + ".ready") else { return nil }
        defer { readiness.close() }
        isRunning = true
        Task {
            var command = podman.command(
                ["system", "service", "--time", "\(Self.idleSeconds)", "unix://\(socket)"], cancellation: .finish)
            command.environment["GOGC"] = "400"
            command.environment["NOTIFY_SOCKET"] = readiness.path
            _ = try? await command.result()
            readiness.close()
            self.end()
        }
        for await _ in readiness.notices { return socket }
        return nil
    }

    /// The next question starts another one, if this one has ever answered.
    private func end() {
        isRunning = false
        let ended = reached
        Task { if await ended?.value != nil { self.forget() } }
    }

    private func forget() { if !isRunning { reached = nil } }

    /// Sockets of processes that are no more, whose podman was killed as well.
    private func removeAbandoned() {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            guard name.split(separator: "-").first.map({ HostProcess.hasEnded($0) }) ?? false else { continue }
            unlink("\(directory)/\(name)")
        }
    }
}

extension Podman {
    /// One that is not started yet; nil where podman runs elsewhere, or there is no place for a socket.
    package func socketService() -> PodmanSocketService? {
        guard !isRemote, let base = runtimeDirectory, base.utf8.count < 70 else { return nil }
        return PodmanSocketService(self, directory: base + "/so/podman")
    }

    /// The same, with one process that answers most of what it is asked.
    func served(by service: PodmanSocketService?) -> Podman {
        guard let service else { return self }
        service.begin()
        var served = self
        served.service = service
        return served
    }

    /// Where sockets stand: https://specifications.freedesktop.org/basedir-spec/latest/
    private var runtimeDirectory: String? {
        if let own = host["XDG_RUNTIME_DIR"], own.hasPrefix("/") { return own }
        return geteuid() == 0 ? "/run" : nil
    }
}
