import AsyncHTTPClient
import NIOCore

/// Which lines of which container are asked for.
package struct PodLogRequest: Hashable, Sendable {
    package var namespace: String
    package var pod: String
    package var container: String
    package var follow = false
    /// The container's run before this one.
    package var previous = false
    package var tailLines: Int?
    package var sinceSeconds: Int?
    /// RFC 3339.
    package var sinceTime: String?
    /// Whether each line begins with its time in RFC 3339 and a space.
    package var timestamps = false

    package init(namespace: String, pod: String, container: String) {
        self.namespace = namespace
        self.pod = pod
        self.container = container
    }

    package var request: APIRequest {
        var query: [(name: String, value: String)] = [("container", container)]
        if follow { query.append(("follow", "true")) }
        if previous { query.append(("previous", "true")) }
        if let tailLines { query.append(("tailLines", "\(tailLines)")) }
        if let sinceSeconds { query.append(("sinceSeconds", "\(sinceSeconds)")) }
        if let sinceTime { query.append(("sinceTime", sinceTime)) }
        if timestamps { query.append(("timestamps", "true")) }
        return APIRequest(
            .get, ResourceType.pods.path(namespace: namespace, name: pod, subresource: "log"), query: query,
            summary: "read the log of \(pod)")
    }
}

extension KubernetesClient {
    /// Hands out a container's lines as they come; returns when the log ends, or with `follow` the container.
    package func logs(
        _ log: PodLogRequest, line: @escaping @Sendable (String) async -> Void
    ) async throws(KubernetesError) {
        let request = log.request
        let body = try await connection.open(request)
        do {
            var cutter = LineCutter()
            for try await chunk in body {
                for text in cutter.add(chunk.readableBytesView) { await line(Self.text(text)) }
            }
            if !cutter.rest.isEmpty { await line(Self.text(cutter.rest)) }
        } catch {
            throw connection.failure(error, request)
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes, as: UTF8.self)
    }
}
