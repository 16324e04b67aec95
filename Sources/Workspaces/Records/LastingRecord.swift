package import FoundationEssentials

/// What is known of the lasting workspace of one project: kept from before its pod is made until it is destroyed.
package struct LastingRecord: Hashable, Sendable, Codable {
    /// How far it has come. Each step can be repeated, and the next command goes on from here.
    package enum State: String, Hashable, Sendable, Codable, CaseIterable {
        case starting
        case running
        /// What stops its pods may outlive the command.
        case stopping
        case stopped
        case destroying
    }

    /// The project's directory: absolute, without symbolic links.
    package var project: String
    /// `<folder>-<8 hex>`: see `Project`.
    package var projectName: String
    package var state: State
    /// The digest-tagged image of the pod that was brought up last.
    package var image: String?
    /// Of the definition that the pod was brought up with.
    package var definition: String?
    package var agent: String
    /// The numbers that its processes run as.
    package var user: PodUser
    /// Whether it goes on when the last terminal leaves.
    package var keepsRunning: Bool
    package var createdAt: Date
    /// Where its networks are; chosen once.
    package var addresses: SessionAddresses?
    /// The port of 127.0.0.1 for each port of the definition; nil: it was brought up by a so that led none.
    package var ports: [Int: Int]?
    /// Where this host's routes lead to its ports, by the host name.
    package var routes: [String: String]?
    /// The services beside the agent's.
    package var services: [String]?
    /// The images of these; nil: a so that wrote none has written the record.
    package var companionImages: [String]?
    /// What its agents show to their egress; worth nothing elsewhere.
    package var token: String?

    /// The workspace's name: no session is called so.
    package var name: String { Self.namePrefix + projectName }

    static let namePrefix = "w-"

    /// The project of a workspace's name; nil for what is none.
    static func projectName(of name: String) -> String? {
        let rest = name.dropFirst(namePrefix.count)
        guard name.hasPrefix(namePrefix), !rest.isEmpty, rest.utf8.allSatisfy(isPlain) else { return nil }
        return String(rest)
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            || byte == UInt8(ascii: "-")
    }

    /// Where its ports answer on this host.
    package var urls: [SessionAddress] { SessionAddress.list(ports ?? [:], name: projectName, routes: routes ?? [:]) }
}

/// How a lasting workspace stands now.
package struct LastingStatus: Hashable, Sendable {
    package enum Condition: String, Hashable, Sendable, CaseIterable {
        /// A command brings it up or takes it down.
        case changing
        case running
        case stopped
        /// A command that was killed left it so; the next one goes on from there.
        case interrupted
    }

    package var record: LastingRecord
    package var condition: Condition
    /// Whether a terminal is open in it.
    package var isInUse: Bool
    /// Whether workspace.yml, the settings or a template have changed since it was brought up; nil: they cannot be read.
    package var isOutdated: Bool?
}
