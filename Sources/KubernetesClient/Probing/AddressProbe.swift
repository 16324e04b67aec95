import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// Asks an address from outside the cluster whether anybody answers there, as a user's program would; changes nothing.
package struct AddressProbe: Sendable {
    /// What becomes of a connection.
    package enum Reach: Hashable, Sendable {
        /// It is refused: nothing passes the port on, or it cannot be reached from here.
        case unreachable
        /// It is taken and ended at once: whoever passes it on finds nobody behind.
        case silent
        case open
    }

    /// What an HTTP server says.
    package struct Answer: Hashable, Sendable {
        package var status: Int
        /// Its first bytes: enough to tell one server's own words from another's.
        package var beginning: [UInt8]
    }

    private let host: String
    private let http: HTTPClient

    package init(host: String) {
        self.host = host
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.timeout = .init(connect: .seconds(2), read: .seconds(5))
        http = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    package func shutDown() async { try? await http.shutdown() }

    /// Opens a connection to a TCP port, and looks whether it stays open for a moment.
    package func reach(_ port: Int) async -> Reach {
        let bootstrap = ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup).connectTimeout(.seconds(2))
        let channel = try? await bootstrap.connect(host: host, port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
            }
        }
        guard let channel else { return .unreachable }
        let stays = try? await channel.executeThenClose { inbound, _ in
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    for try await _ in inbound { return true }
                    return false
                }
                group.addTask {
                    try await Task.sleep(for: .milliseconds(150))
                    return true
                }
                defer { group.cancelAll() }
                return try await group.next() ?? false
            }
        }
        return stays ?? false ? .open : .silent
    }

    /// What is answered to `GET path` for a host name; nil where nobody answers.
    package func answer(_ port: Int, hostName: String, path: String) async -> Answer? {
        let name = host.contains(":") ? "[\(host)]" : host
        var request = HTTPClientRequest(url: "http://\(name):\(port)\(path)")
        request.headers = HTTPHeaders([("Host", hostName)])
        do {
            let response = try await http.execute(request, timeout: .seconds(5))
            var beginning: [UInt8] = []
            for try await chunk in response.body {
                beginning += chunk.readableBytesView.prefix(256)
                if beginning.count >= 256 { break }
            }
            return Answer(status: Int(response.status.code), beginning: Array(beginning.prefix(256)))
        } catch {
            return nil
        }
    }
}
