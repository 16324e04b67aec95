import KubernetesClient

/// What a start does with each object, decided before anything is done.
struct ClusterPlan: Sendable {
    enum Action: Hashable, Sendable {
        case create
        case update
        /// Deleted and recreated: the server would not change it.
        case recreate
        case keep
    }

    struct Decision: Sendable {
        var object: DesiredObject
        var live: LiveObject?
        var action: Action
        var reason: String?
        var changes: [String] = []
        /// Why the server or another owner would refuse it.
        var refusal: DeploymentError?
        /// A volume whose last claim has gone: it is made free for this deployment's claim.
        var isReleased = false
        /// Whether its pods are replaced though its template does not change.
        var rolls = false
    }

    var decisions: [Decision]
    /// What the stack no longer has: deleted, in this order.
    var dropped: [ObjectKey]
    /// Data that the stack no longer has: it stays.
    var keptData: [ObjectKey]
    var namespace: String
    /// Whether the namespace must be made.
    var createsNamespace: Bool
    var inventory: Inventory
    /// Whether the inventory in the cluster says something else.
    var writesInventory: Bool

    /// The first phase of pruning: what could hold a port or a volume that something new wants.
    var droppedFirst: [ObjectKey] { dropped.filter { $0.isWorkload || $0.type == .services || $0.type == .ingresses } }
    var droppedLast: [ObjectKey] { dropped.filter { !droppedFirst.contains($0) } }

    var isEmpty: Bool {
        decisions.allSatisfy { $0.action == .keep } && dropped.isEmpty && !createsNamespace && !writesInventory
    }

    /// The plan as it is printed.
    var summary: Plan {
        var items: [Plan.Item] = []
        for decision in decisions {
            let action: Plan.Action =
                switch decision.action {
                case .create: .create
                case .update: .update
                case .recreate: .replace
                case .keep: .keep
                }
            var item = Plan.Item(
                kind: decision.object.key.type.kind, name: decision.object.key.name, service: decision.object.workload,
                action: action, reason: decision.refusal.map { "refused: \($0.cause ?? $0.message)" } ?? decision.reason
            )
            item.changes = decision.changes
            items.append(item)
        }
        items += dropped.map {
            Plan.Item(kind: $0.type.kind, name: $0.name, action: .remove, reason: "the stack no longer has it")
        }
        var plan = Plan(items: items)
        if createsNamespace { plan.unchecked = Self.unchecked("namespace \(namespace)") }
        return plan
    }

    /// What is said where a server has nowhere to try the objects.
    static func unchecked(_ place: String) -> String {
        "the \(place) does not exist yet: what the cluster refuses of the objects in it shows when they are made"
    }

    /// Every refusal at once.
    ///
    /// - Throws: one error that names them all.
    func throwRefusals() throws(DeploymentError) {
        let refusals = decisions.compactMap(\.refusal)
        guard let first = refusals.first else { return }
        guard refusals.count > 1 else { throw first }
        throw DeploymentError(
            first.code, "\(refusals.count) objects cannot be applied",
            cause: "\n" + refusals.map { "  \($0.description)" }.joined(separator: "\n"))
    }
}
