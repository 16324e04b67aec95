/// What a container may do.
package struct SecurityContext: Codable, Hashable, Sendable {
    package var runAsUser: Int?
    package var runAsGroup: Int?
    package var runAsNonRoot: Bool?
    package var privileged: Bool?
    package var allowPrivilegeEscalation: Bool?
    package var readOnlyRootFilesystem: Bool?
    package var capabilities: Capabilities?
    package var seLinuxOptions: SELinuxOptions?
    package var seccompProfile: SecurityProfile?
    package var appArmorProfile: SecurityProfile?
    /// `Unmasked`: nothing of /proc is hidden or read-only.
    package var procMount: String?

    package init() {}
}

/// Capabilities without their `CAP_` prefix.
package struct Capabilities: Codable, Hashable, Sendable {
    package var add: [String]?
    package var drop: [String]?

    package init(add: [String]? = nil, drop: [String]? = nil) {
        self.add = add
        self.drop = drop
    }
}

/// A seccomp or AppArmor profile; `type` is `Unconfined`, `RuntimeDefault` or `Localhost`.
package struct SecurityProfile: Codable, Hashable, Sendable {
    package var type: String
    package var localhostProfile: String?

    package init(type: String, localhostProfile: String? = nil) {
        self.type = type
        self.localhostProfile = localhostProfile
    }
}

package struct SELinuxOptions: Codable, Hashable, Sendable {
    package var user: String?
    package var role: String?
    package var type: String?
    package var level: String?

    package init() {}
}

/// What holds for all containers of a pod.
package struct PodSecurityContext: Codable, Hashable, Sendable {
    package var fsGroup: Int?
    package var supplementalGroups: [Int]?
    package var sysctls: [Sysctl]?
    package var seccompProfile: SecurityProfile?

    package init() {}
}

package struct Sysctl: Codable, Hashable, Sendable {
    package var name: String
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
