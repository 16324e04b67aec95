import Runtimes

/// What the steps of a build may reach.
package enum BuildNetwork: Hashable, Sendable {
    /// All that the engine's own network reaches, this host's neighbours among them.
    case usual
    case none
    /// What an egress lets through, from a network that leads nowhere else.
    case egress(network: String, nameServer: String)

    /// Options of `podman build` and of `docker build`.
    var arguments: [String] {
        switch self {
        case .usual: []
        case .none: ["--network", "none"]
        case .egress(let network, let server): ["--network", network, "--dns", server]
        }
    }
}

extension BaseBuild {
    /// Instructions that have the engine itself fetch something: no network of the build holds that back.
    ///
    /// - Throws: ``WorkspaceError`` (`notPermitted`) with the line.
    func refuseRemoteSources() throws(WorkspaceError) {
        guard let bytes = try? Files.read(containerfile) else { return }
        var isContinued = false
        for (number, line) in String(decoding: bytes, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        )
        .enumerated() {
            let words = line.split(whereSeparator: \.isWhitespace)
            let begins = isContinued || words.first.map { ["ADD", "ONBUILD"].contains($0.uppercased()) } ?? false
            isContinued = begins && words.last == "\\"
            // A variable may stand for an address.
            guard begins, words.contains(where: { $0.contains("://") || $0.contains("git@") || $0.contains("$") }),
                words.first?.uppercased() != "ONBUILD" || words.dropFirst().first?.uppercased() == "ADD"
            else { continue }
            throw WorkspaceError(
                .notPermitted, "\(containerfile):\(number + 1): ADD fetches from this host's own network",
                hint:
                    "fetch it in a RUN, which goes by the egress, or trust the project: so settings set build-network host"
            )
        }
    }
}
