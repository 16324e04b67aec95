import FoundationEssentials

/// One question to podman: what a podman of its own is started with, and what a ``PodmanService`` is asked. Both answer with the same records.
package struct PodmanQuery: Hashable, Sendable {
    /// What the things of a list have in common; several values are alternatives.
    struct Filter: Hashable, Sendable {
        var key: String
        var values: [String]

        static func label(_ label: String, _ value: String) -> Filter {
            Filter(key: "label", values: ["\(label)=\(value)"])
        }
    }

    package let arguments: [String]
    /// Below the version of podman's own API: https://docs.podman.io/en/latest/_static/api.html
    package let paths: [String]
    /// Whether the answer to a path is a list, and not one object of it.
    package let isList: Bool

    static func list(_ command: [String], _ path: String, _ filter: Filter? = nil) -> PodmanQuery {
        let options = filter.map { filter in filter.values.flatMap { ["--filter", "\(filter.key)=\($0)"] } } ?? []
        let parameter = filter.map { filter in
            (path.contains("?") ? "&" : "?") + "filters=" + percentEncoded(json([filter.key: filter.values]))
        }
        return PodmanQuery(
            arguments: command + ["--format", "json"] + options, paths: [path + (parameter ?? "")], isList: true)
    }

    static func objects(_ command: [String], _ path: String, _ names: [String]) -> PodmanQuery {
        PodmanQuery(
            arguments: command + ["--format", "json", "--"] + names,
            paths: names.map { "\(path)/\(percentEncoded($0))/json" }, isList: false)
    }
}

/// A podman that runs for a while, and answers many questions in the time in which another one would start.
///
/// Whatever it cannot do, or fails to do, is left to a podman that is started for it: so it has no errors, and whoever asks need not know of it.
package protocol PodmanService: Sendable {
    /// A list of JSON objects; nil where it has no answer.
    func answer(_ query: PodmanQuery) async -> [UInt8]?
    /// Makes something in one step, which it does to its end whatever becomes of this process; false where it did not.
    func make(_ thing: PodmanCreation) async -> Bool
}

/// Something that podman makes in one step, and that starts no program.
package enum PodmanCreation: Hashable, Sendable {
    /// A pod whose containers share nothing.
    case pod(name: String, labels: [String: String])
    /// A bridge with podman's own settings.
    case network(name: String, labels: [String: String])
    case volume(name: String, labels: [String: String])

    package var path: String {
        switch self {
        case .pod: "/pods/create"
        case .network: "/networks/create"
        case .volume: "/volumes/create"
        }
    }

    package var body: [UInt8] {
        switch self {
        case .pod(let name, let labels): Array(json(Pod(name: name, labels: labels)).utf8)
        case .network(let name, let labels): Array(json(Network(name: name, labels: labels)).utf8)
        case .volume(let name, let labels): Array(json(Volume(Name: name, Label: labels)).utf8)
        }
    }

    package var arguments: [String] {
        switch self {
        case .pod(let name, let labels): PodmanArguments.createPod(name, labels: labels, options: ["--infra=false"])
        case .network(let name, let labels): PodmanArguments.createNetwork(name, labels: labels)
        case .volume(let name, let labels): PodmanArguments.createVolume(name, labels: labels)
        }
    }

    private struct Pod: Encodable {
        var name: String
        var labels: [String: String]
        var no_infra = true
    }

    private struct Network: Encodable {
        var name: String
        var labels: [String: String]
        var driver = "bridge"
        var dns_enabled = true
    }

    private struct Volume: Encodable {
        var Name: String
        var Label: [String: String]
    }
}

extension Podman {
    /// Makes something that podman makes in one step; a cancelled task lets it finish.
    package func make(_ thing: PodmanCreation) async throws(CommandFailure) {
        if await service?.make(thing) == true { return }
        try await change(thing.arguments)
    }
}

private func json(_ value: some Encodable) -> String {
    // Texts and dictionaries of texts: nothing that JSON could not hold.
    (try? JSONEncoder().encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
}
