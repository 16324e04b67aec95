import AsyncHTTPClient
import FoundationEssentials
import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// One pool of connections to a cluster, with who asks and how many at once.
package final class Connection: Sendable {
    let access: ClusterAccess
    let http: HTTPClient
    private let baseURL: String
    private let hostHeader: String?
    private let credentials: RequestCredentials
    private let limiter: Limiter
    private let hasAnswered = Atomic<Bool>(false)
    /// How long a server that has answered before may be away, in seconds: an API server restarts in less.
    private static let patience = 60.0

    init(_ access: ClusterAccess, concurrency: Int) async throws(KubernetesError) {
        var first: ExecPlugin.Output?
        if case .plugin(let plugin) = access.credentials { first = try await plugin.run(host: access.environment) }
        self.access = access
        let configuration = try access.httpConfiguration(pluginCertificate: first?.certificate)
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        let name = access.serverName ?? access.host
        let address = access.host.contains(":") ? "[\(access.host)]" : access.host
        baseURL = "\(access.scheme)://\(name.contains(":") ? "[\(name)]" : name):\(access.port)\(access.pathPrefix)"
        hostHeader = access.serverName == nil ? nil : "\(address):\(access.port)"
        credentials = RequestCredentials(access, first: first)
        limiter = Limiter(places: concurrency)
    }

    func shutDown() async { try? await http.shutdown() }

    /// For those who keep a client as long as their process: an HTTPClient may not end before it was shut down.
    deinit { Task { [http] in try? await http.shutdown() } }

    // MARK: Requests with an answer

    /// Sends a request, again where that is safe, and returns the answer of a success.
    func send(_ request: APIRequest) async throws(KubernetesError) -> [UInt8] {
        await limiter.enter()
        do {
            let body = try await sendRepeatedly(request)
            await limiter.leave()
            return body
        } catch {
            await limiter.leave()
            throw error
        }
    }

    private func sendRepeatedly(_ request: APIRequest) async throws(KubernetesError) -> [UInt8] {
        var retries = Retries(patience: Self.patience)
        while true {
            if Task.isCancelled { throw KubernetesError(.cancelled, request.summary) }
            let delay: Double?
            let failure: KubernetesError
            do {
                let response = try await sendOnce(request)
                hasAnswered.store(true, ordering: .relaxed)
                if (200..<300).contains(response.status) { return response.body }
                let status = APIStatus(code: response.status, body: response.body)
                failure = KubernetesError(status, request: request.summary)
                if response.status == 401, await credentials.refuse(), retries.mayAuthenticateAgain() { continue }
                delay = retries.delay(after: status, header: response.retryAfter, request)
            } catch let error as KubernetesError {
                failure = error
                // One that never answered is not waited for: the address is more likely wrong than the server away.
                delay =
                    error.code == .unreachable && hasAnswered.load(ordering: .relaxed)
                    ? retries.delay(afterLosing: request) : nil
            } catch {
                throw KubernetesError(.cancelled, request.summary)
            }
            guard let delay else { throw failure }
            do {
                try await Task.sleep(for: .seconds(delay))
            } catch {
                throw KubernetesError(.cancelled, request.summary)
            }
        }
    }

    private func sendOnce(_ request: APIRequest) async throws -> APIResponse {
        let response = try await execute(request, seconds: 60)
        do {
            let buffer = try await response.body.collect(upTo: Self.bodyLimit)
            let header = response.headers.first(name: "Retry-After").flatMap { Int($0) }
            return APIResponse(
                status: Int(response.status.code), retryAfter: header, body: Array(buffer.readableBytesView))
        } catch {
            throw failure(error, request)
        }
    }

    /// The largest answer that is read, in bytes.
    private static let bodyLimit = 256 << 20

    // MARK: Streams

    /// Opens a stream; the answer's head has come, and it was a success.
    func open(_ request: APIRequest) async throws(KubernetesError) -> HTTPClientResponse.Body {
        do {
            let response = try await execute(request, seconds: nil)
            hasAnswered.store(true, ordering: .relaxed)
            guard response.status == .ok else {
                let buffer = try await response.body.collect(upTo: 1 << 20)
                let status = APIStatus(code: Int(response.status.code), body: Array(buffer.readableBytesView))
                throw KubernetesError(status, request: request.summary)
            }
            return response.body
        } catch let error as KubernetesError {
            throw error
        } catch {
            throw failure(error, request)
        }
    }

    private func execute(_ request: APIRequest, seconds: Int64?) async throws -> HTTPClientResponse {
        var message = HTTPClientRequest(url: baseURL + request.target)
        message.method = HTTPMethod(rawValue: request.method.rawValue)
        message.headers.add(name: "Accept", value: "application/json")
        message.headers.add(name: "User-Agent", value: "so")
        if let hostHeader { message.headers.add(name: "Host", value: hostHeader) }
        if let authorization = try await credentials.authorization() {
            message.headers.add(name: "Authorization", value: authorization)
        }
        for header in access.impersonation { message.headers.add(name: header.header, value: header.value) }
        if let body = request.body {
            message.headers.add(name: "Content-Type", value: request.contentType ?? "application/json")
            message.body = .bytes(body)
        }
        do {
            let deadline = seconds.map { NIODeadline.now() + .seconds($0) } ?? .distantFuture
            return try await http.execute(message, deadline: deadline)
        } catch {
            throw failure(error, request)
        }
    }

    /// What a transport's error means to a user.
    func failure(_ error: any Error, _ request: APIRequest) -> KubernetesError {
        if let error = error as? KubernetesError { return error }
        if error is CancellationError || Task.isCancelled { return KubernetesError(.cancelled, request.summary) }
        if let error = error as? HTTPClientError, error == .cancelled {
            return KubernetesError(.cancelled, request.summary)
        }
        return KubernetesError(
            .unreachable, "the cluster at \(access.server) cannot be reached (\(access.origin))",
            cause: TransportReason(error).text, hint: TransportReason(error).hint)
    }
}

/// How often and how long a request may still be tried.
struct Retries {
    private let patience: Double
    private let begin = ContinuousClock.now
    private var attempts = 0
    private var hasAuthenticated = false

    init(patience: Double) { self.patience = patience }

    /// A plug-in or a token file is asked once more.
    mutating func mayAuthenticateAgain() -> Bool {
        defer { hasAuthenticated = true }
        return !hasAuthenticated
    }

    /// Seconds to wait before the next try; nil: no further one.
    mutating func delay(after status: APIStatus, header: Int?, _ request: APIRequest) -> Double? {
        let wanted = header ?? status.retryAfterSeconds
        switch status.code {
        case 429: return next(atLeast: wanted)
        case 503 where wanted != nil: return next(atLeast: wanted)
        case 502, 503, 504:
            return request.repeatability == .always ? next(atLeast: wanted) : nil
        case 500 where wanted != nil:
            return request.repeatability == .always ? next(atLeast: wanted) : nil
        default: return nil
        }
    }

    /// The connection broke, perhaps after the request had arrived.
    mutating func delay(afterLosing request: APIRequest) -> Double? {
        request.repeatability == .always ? next(atLeast: nil, patience: patience) : nil
    }

    /// Seconds for which a server that answers may be too busy: one attempt alone may take it half a minute.
    private static let patienceWithBusy = 300.0

    private mutating func next(atLeast wanted: Int?, patience: Double = patienceWithBusy) -> Double? {
        let elapsed = begin.duration(to: .now).inSeconds
        attempts += 1
        let backoff = min(0.05 * Double(1 << min(attempts, 6)), 2) * Double.random(in: 0.8...1.2)
        let delay = max(Double(wanted ?? 0), backoff)
        return elapsed + delay < patience ? delay : nil
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}
