import AsyncHTTPClient
import NIOCore
import YAML

/// What a watch tells.
package enum WatchEvent: Sendable {
    /// All there is, at the start and whenever the past was lost: what is not in it has gone.
    case all(ObjectList)
    case changed(LiveObject)
    case deleted(LiveObject)
}

extension KubernetesClient {
    /// Tells of a kind's objects until the task is cancelled: first all of them, then each change.
    ///
    /// Connections that break or idle are opened again where they were; a past that the server has forgotten (410) is read
    /// again. A server that is away is waited for as long as for any other request.
    ///
    /// - Parameter list: what is known already, to go on from.
    /// - Throws: what no second try fixes: `forbidden`, `unauthorized`, a server that stays away.
    package func watch(
        _ type: ResourceType, _ selection: Selection, from list: ObjectList? = nil,
        event: @escaping @Sendable (WatchEvent) async -> Void
    ) async throws(KubernetesError) {
        var version: String
        if let list {
            version = list.resourceVersion
        } else {
            version = try await announceAll(type, selection, event)
        }
        var backoff = Retries(patience: 60)
        while !Task.isCancelled {
            let outcome = await WatchStream(client: self, type: type, selection: selection).run(from: &version, event)
            switch outcome {
            case .ended: backoff = Retries(patience: 60)
            case .expired: version = try await announceAll(type, selection, event)
            case .failed(let error):
                if error.code == .cancelled { return }
                let request = APIRequest(.get, "", summary: "")
                guard error.code == .unreachable || error.code == .server || error.code == .tooManyRequests,
                    let delay = backoff.delay(afterLosing: request)
                else { throw error }
                do { try await Task.sleep(for: .seconds(delay)) } catch { return }
            }
        }
    }

    private func announceAll(
        _ type: ResourceType, _ selection: Selection, _ event: @Sendable (WatchEvent) async -> Void
    ) async throws(KubernetesError) -> String {
        let list = try await list(type, selection)
        await event(.all(list))
        return list.resourceVersion
    }
}

/// One connection of a watch.
private struct WatchStream {
    enum Outcome {
        /// The server or the network ended it: it may go on from where it was.
        case ended
        /// The server no longer knows that past.
        case expired
        case failed(KubernetesError)
    }

    let client: KubernetesClient
    let type: ResourceType
    let selection: Selection

    func run(
        from version: inout String, _ event: @escaping @Sendable (WatchEvent) async -> Void
    ) async -> Outcome {
        let request = APIRequest(
            .get, type.path(namespace: selection.namespace),
            query: selection.query + [
                ("watch", "1"), ("allowWatchBookmarks", "true"), ("resourceVersion", version),
                ("timeoutSeconds", "290"),
            ], summary: "watch \(type.resource)")
        do {
            let body = try await client.connection.open(request)
            var lines = LineCutter()
            for try await chunk in body {
                for line in lines.add(chunk.readableBytesView) {
                    if let outcome = await take(line, &version, event) { return outcome }
                }
            }
            return .ended
        } catch let error as KubernetesError {
            return error.code == .expired ? .expired : .failed(error)
        } catch {
            let failure = client.connection.failure(error, request)
            return failure.code == .cancelled ? .failed(failure) : .ended
        }
    }

    /// Takes one line; nil: go on.
    private func take(
        _ line: ArraySlice<UInt8>, _ version: inout String, _ event: @Sendable (WatchEvent) async -> Void
    ) async -> Outcome? {
        guard let node = try? readJSON(line), let object = node["object"] else { return .ended }
        let live = LiveObject(object)
        switch node["type"]?.text {
        case "ADDED", "MODIFIED":
            version = live.resourceVersion
            await event(.changed(live))
        case "DELETED":
            version = live.resourceVersion
            await event(.deleted(live))
        case "BOOKMARK": version = live.resourceVersion
        case "ERROR":
            let status = APIStatus(node: object, code: 500)
            return status.code == 410 ? .expired : .failed(KubernetesError(status, request: "watch \(type.resource)"))
        default: break
        }
        return nil
    }
}

/// Cuts a stream of bytes into lines.
struct LineCutter {
    private var pending: [UInt8] = []

    init() {}

    /// The lines that these bytes complete, without their ends.
    mutating func add(_ bytes: some Collection<UInt8>) -> [ArraySlice<UInt8>] {
        pending.append(contentsOf: bytes)
        var lines: [ArraySlice<UInt8>] = []
        var start = pending.startIndex
        while let end = pending[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if end > start { lines.append(pending[start..<end]) }
            start = end + 1
        }
        pending.removeSubrange(..<start)
        return lines
    }

    /// What came after the last line's end.
    var rest: ArraySlice<UInt8> { pending[...] }
}
