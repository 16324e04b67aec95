/// One container of `podman ps --format json`.
package struct PodmanContainerRecord: Decodable, Hashable, Sendable {
    package struct Port: Decodable, Hashable, Sendable {
        package var host_ip: String?
        package var container_port: Int
        package var host_port: Int?
        /// How many ports from this one on.
        package var range: Int?
        package var `protocol`: String?
    }

    package var Id: String
    package var Names: [String]?
    package var Image: String?
    package var IsInfra: Bool?
    package var Labels: [String: String]?
    /// `created`, `running`, `exited`, `stopped`, `paused` and others.
    package var State: String
    package var ExitCode: Int?
    package var Pod: String?
    package var PodName: String?
    package var Ports: [Port]?
    package var Networks: [String]?
    /// Seconds of the epoch.
    package var StartedAt: Int?
    /// Of its first process; 0 or absent where it does not run.
    package var Pid: Int?

    package var name: String { Names?.first ?? Id }
    package func label(_ key: String) -> String? { Labels?[key] }
}

/// One pod of `podman pod ps --format json`.
package struct PodmanPodRecord: Decodable, Hashable, Sendable {
    package struct Member: Decodable, Hashable, Sendable {
        package var Id: String
        package var Names: String
        package var Status: String
    }

    package var Id: String
    package var Name: String
    package var Status: String
    package var InfraId: String?
    package var Labels: [String: String]?
    package var Containers: [Member]?

    package func label(_ key: String) -> String? { Labels?[key] }
}

/// What matters of `podman container inspect`.
package struct PodmanContainerInspection: Decodable, Hashable, Sendable {
    package struct Running: Decodable, Hashable, Sendable {
        package var Status: String
        package var ExitCode: Int
        package var Error: String?
        package var OOMKilled: Bool?
        package var StartedAt: String?
    }

    package struct Addresses: Decodable, Hashable, Sendable {
        package struct Network: Decodable, Hashable, Sendable {
            package var IPAddress: String?
        }

        package var Networks: [String: Network]?
    }

    package var NetworkSettings: Addresses?
    package var Id: String
    package var Name: String
    package var RestartCount: Int?
    package var State: Running
}

/// What matters of `podman image inspect`.
package struct PodmanImageRecord: Decodable, Hashable, Sendable {
    package struct Configuration: Decodable, Hashable, Sendable {
        package var Entrypoint: [String]?
        package var User: String?
        /// By path; the values hold nothing.
        package var Volumes: [String: [String: String]]?
    }

    package var Id: String
    package var RepoTags: [String]?
    package var Config: Configuration?

    package init(Id: String, Config: Configuration? = nil) {
        self.Id = Id
        self.Config = Config
    }
}

/// One network of `podman network ls --format json`.
package struct PodmanNetworkRecord: Decodable, Hashable, Sendable {
    package struct Subnet: Decodable, Hashable, Sendable {
        package var subnet: String?
        package var gateway: String?
    }

    package var name: String
    package var labels: [String: String]?
    package var subnets: [Subnet]?
    package var `internal`: Bool?
    package var dns_enabled: Bool?
    /// The bridge on the host.
    package var network_interface: String?
}

/// One volume of `podman volume ls --format json`.
package struct PodmanVolumeRecord: Decodable, Hashable, Sendable {
    package var Name: String
    package var Labels: [String: String]?
}

/// One line of `podman events --format json`.
package struct PodmanEvent: Decodable, Hashable, Sendable {
    package var ID: String?
    package var Name: String
    /// `died`, `start`, …
    package var Status: String
    package var ContainerExitCode: Int?
    /// RFC 3339 with nanoseconds.
    package var Time: String?
    package var Attributes: [String: String]?
}

extension PodmanEvent {
    /// Reads one line; nil for one that is none (podman's warnings).
    package init?(line: String) {
        let command = Command("podman", ["events"], host: [:])
        guard let event = try? decode(PodmanEvent.self, Array(line.utf8), of: command) else { return nil }
        self = event
    }
}
