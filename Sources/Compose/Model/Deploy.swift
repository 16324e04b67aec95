package import OrderedCollections
package import YAML

/// The `deploy` key; places of its keys are in ``Service/keys`` under `deploy.…`.
package struct Deploy: Hashable, Sendable {
    /// `replicated` where it was not written.
    package enum Mode: String, Hashable, Sendable, CaseIterable {
        case replicated, global
        case replicatedJob = "replicated-job"
        case globalJob = "global-job"
    }

    package enum EndpointMode: String, Hashable, Sendable, CaseIterable {
        case vip, dnsrr
    }

    package var mode: Mode?
    package var endpointMode: EndpointMode?
    package var replicas: Int?
    package var labels: OrderedDictionary<String, String> = [:]
    package var updateConfig: UpdateConfig?
    package var rollbackConfig: UpdateConfig?
    package var resources: DeployResources?
    package var restartPolicy: DeployRestartPolicy?
    package var placement: Placement?
    package var extensions: OrderedDictionary<String, Node> = [:]
    package var mark: Mark

    package init(mark: Mark = .generated) {
        self.mark = mark
    }
}

package struct UpdateConfig: Hashable, Sendable {
    package var parallelism: Int?
    package var delay: Duration?
    /// `continue`, `rollback` or `pause`.
    package var failureAction: String?
    package var monitor: Duration?
    package var maxFailureRatio: Double?
    /// `start-first` or `stop-first`.
    package var order: String?

    package init() {}
}

package struct DeployResources: Hashable, Sendable {
    package var limits: Resources?
    package var reservations: Resources?

    package init() {}
}

package struct Resources: Hashable, Sendable {
    package var cpus: Double?
    /// Bytes.
    package var memory: Int64?
    package var pids: Int64?
    package var devices: [DeviceRequest] = []
    package var genericResources: [GenericResource] = []

    package init() {}
}

package struct GenericResource: Hashable, Sendable {
    package var kind: String
    package var value: Int64

    package init(kind: String, value: Int64) {
        self.kind = kind
        self.value = value
    }
}

package struct DeployRestartPolicy: Hashable, Sendable {
    /// `none`, `on-failure` or `any`.
    package var condition: String?
    package var delay: Duration?
    package var maxAttempts: Int?
    package var window: Duration?

    package init() {}
}

package struct Placement: Hashable, Sendable {
    package var constraints: [String] = []
    /// The `spread` of each preference.
    package var preferences: [String] = []
    package var maxReplicasPerNode: Int?

    package init() {}
}
