/// One Deployment, DaemonSet, Job or CronJob, and what it waits for.
package struct Workload: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable {
        case deployment = "Deployment"
        case daemonSet = "DaemonSet"
        case job = "Job"
        case cronJob = "CronJob"
    }

    /// The object's name.
    package var name: String
    package var kind: Kind
    /// The compose file (pod of the stack) or the stack job that it comes from.
    package var component: String
    /// The compose services in its pods, as the files name them; the container's name is each name made DNS-safe.
    package var services: [String]
    /// Every name under which other pods reach it, as the files write them: services, aliases, container names, host names.
    /// Kubernetes has a Service for each of those that a Service can be named; podman takes them all as they are.
    package var hostnames: [String: [String]] = [:]
    package var dependencies: [WorkloadDependency] = []
    /// Whether it comes from the stack's `jobs:`.
    package var isStackJob = false
    /// Whether it is expected to end: it is ready when it has ended well. A Job that does not complete is a service with a
    /// restart policy that ends with its process; it is ready as a Deployment is, or when it has ended well.
    package var completes = false

    /// By container: for how many seconds after its start failures of its health check do not count.
    package var startPeriods: [String: Int] = [:]
    package var podman = PodmanSettings()

    package init(name: String, kind: Kind, component: String, services: [String]) {
        self.name = name
        self.kind = kind
        self.component = component
        self.services = services
    }
}

/// What a workload waits for before it starts.
package struct WorkloadDependency: Hashable, Sendable {
    package enum Condition: String, Hashable, Sendable {
        case started = "service_started"
        case healthy = "service_healthy"
        case completedSuccessfully = "service_completed_successfully"
    }

    /// The name of the other workload.
    package var workload: String
    /// The compose service in it that is waited for.
    package var service: String
    package var condition: Condition
    /// False: its failure is a warning.
    package var isRequired: Bool
    /// True: restarted when the other one is.
    package var restart: Bool

    package init(
        workload: String, service: String, condition: Condition, isRequired: Bool = true, restart: Bool = false
    ) {
        self.workload = workload
        self.service = service
        self.condition = condition
        self.isRequired = isRequired
        self.restart = restart
    }
}
