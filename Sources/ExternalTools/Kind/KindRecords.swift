package import FoundationEssentials

/// What a node's container was made with (`docker inspect`, and podman's and nerdctl's like it).
package struct KindNode: Hashable, Sendable {
    package struct Mount: Hashable, Sendable {
        package var source: String
        package var destination: String

        package init(source: String, destination: String) {
            self.source = source
            self.destination = destination
        }
    }

    package var name: String
    /// The container's: a cluster that is recreated under the same names has other ones.
    package var id: String
    package var isRunning: Bool
    /// When it was started last, to the second.
    package var startedAt: Date?
    package var mounts: [Mount]
    /// Those that a configuration asked for: kind gives every node the other two.
    package var givenMounts: [Mount] { mounts.filter { !["/var", "/lib/modules"].contains($0.destination) } }
    /// The host's ports by the node's own, as `30000/tcp`.
    package var ports: [String: Int]

    /// Whether something is mounted at a path of the node.
    package func has(_ path: String) -> Bool { mounts.contains { $0.destination == path } }

    /// - Throws: `unreadableOutput`.
    package init(name: String, inspection: [UInt8]) throws(CommandFailure) {
        guard let record = try? JSONDecoder().decode([Record].self, from: Data(inspection)).first else {
            throw CommandFailure(.unreadableOutput, command: "inspect \(name)")
        }
        self.name = name
        id = record.Id ?? name
        isRunning = record.State?.Running ?? (record.State?.Status == "running")
        startedAt = record.State?.StartedAt.flatMap(Self.date)
        mounts = (record.Mounts ?? []).map { Mount(source: $0.Source ?? "", destination: $0.Destination ?? "") }
        ports = [:]
        for (port, bindings) in record.HostConfig?.PortBindings ?? [:] {
            if let outer = bindings?.first?.HostPort.flatMap({ Int($0) }) { ports[port] = outer }
        }
    }

    /// A moment as engines and the API write it: `2026-11-22T08:00:00.123456789Z` of docker, with an offset instead of the Z of podman; engines write the year 1 for never.
    package static func date(_ text: String) -> Date? {
        let fraction = text.firstIndex(of: ".") ?? text.endIndex
        let zone = text[fraction...].firstIndex { "Z+-".contains($0) } ?? text.endIndex
        let whole = fraction == text.endIndex ? text : "\(text[..<fraction])\(text[zone...])"
        guard !whole.hasPrefix("0001-") else { return nil }
        return try? Date(whole, strategy: .iso8601)
    }

    private struct Record: Decodable {
        struct State: Decodable {
            var Running: Bool?
            var Status: String?
            var StartedAt: String?
        }
        struct Mount: Decodable {
            var Source: String?
            var Destination: String?
        }
        struct Binding: Decodable { var HostPort: String? }
        struct HostConfig: Decodable { var PortBindings: [String: [Binding]?]? }
        var Id: String?
        var State: State?
        var Mounts: [Mount]?
        var HostConfig: HostConfig?
    }
}

/// An image as `crictl images` lists it.
package struct NodeImages: Hashable, Sendable {
    /// The ids of the images by each of their names.
    package var names: [String: String]

    /// - Throws: `unreadableOutput`.
    package init(crictl output: [UInt8]) throws(CommandFailure) {
        guard let list = try? JSONDecoder().decode(List.self, from: Data(output)) else {
            throw CommandFailure(.unreadableOutput, command: "crictl images")
        }
        names = [:]
        for image in list.images { for tag in image.repoTags ?? [] { names[tag] = image.id } }
    }

    private struct List: Decodable {
        struct Image: Decodable {
            var id: String
            var repoTags: [String]?
        }
        var images: [Image]
    }
}
