/// The pods that a workload makes.
package struct PodTemplateSpec: Codable, Hashable, Sendable {
    package var metadata: ObjectMeta
    package var spec: PodSpec

    package init(metadata: ObjectMeta, spec: PodSpec) {
        self.metadata = metadata
        self.spec = spec
    }
}

/// What runs together in one pod.
package struct PodSpec: Codable, Hashable, Sendable {
    package var hostname: String?
    package var subdomain: String?
    package var setHostnameAsFQDN: Bool?
    package var serviceAccountName: String?
    package var automountServiceAccountToken: Bool?
    package var enableServiceLinks: Bool?
    package var runtimeClassName: String?
    package var hostNetwork: Bool?
    package var hostPID: Bool?
    package var hostIPC: Bool?
    package var hostUsers: Bool?
    package var shareProcessNamespace: Bool?
    package var dnsPolicy: String?
    package var dnsConfig: PodDNSConfig?
    package var hostAliases: [HostAlias]?
    package var nodeSelector: StringMap?
    package var affinity: Affinity?
    package var tolerations: [Toleration]?
    package var topologySpreadConstraints: [TopologySpreadConstraint]?
    package var securityContext: PodSecurityContext?
    package var imagePullSecrets: [LocalObjectReference]?
    package var initContainers: [Container]?
    package var containers: [Container]
    /// `Always`, `OnFailure` or `Never`.
    package var restartPolicy: String?
    package var terminationGracePeriodSeconds: Int?
    package var volumes: [Volume]?

    package init(containers: [Container] = []) {
        self.containers = containers
    }
}

/// Name resolution beside the cluster's own.
package struct PodDNSConfig: Codable, Hashable, Sendable {
    package struct Option: Codable, Hashable, Sendable {
        package var name: String
        package var value: String?

        package init(name: String, value: String? = nil) {
            self.name = name
            self.value = value
        }
    }

    package var nameservers: [String]?
    package var searches: [String]?
    package var options: [Option]?

    package init() {}
}

/// Lines of the pod's /etc/hosts.
package struct HostAlias: Codable, Hashable, Sendable {
    package var ip: String
    package var hostnames: [String]

    package init(ip: String, hostnames: [String]) {
        self.ip = ip
        self.hostnames = hostnames
    }
}
