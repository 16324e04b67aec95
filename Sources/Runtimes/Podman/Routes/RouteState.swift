import ExternalTools

/// The routes that a deployment wants, and what there is of them: the decision what becomes of them. Pure.
struct RouteState: Sendable {
    let wanted: DeploymentRoutes
    let settings: RouteSettings
    /// What this deployment's file holds.
    var own: DeploymentRoutes?
    /// The container that serves all routes of this host.
    var container: PodmanContainerRecord?
    /// Whether a change of any deployment's routes was cut short.
    var isPending = false

    /// Whether there is nothing to ask podman about: the deployment neither has routes nor had any.
    var isIdle: Bool { wanted.routes.isEmpty && own == nil }

    /// Whether everything is as it should be.
    var isSettled: Bool {
        if wanted.routes.isEmpty { return own == nil }
        return own == wanted && isServing && isConnected && !isPending
    }

    private var isConnected: Bool { wanted.networks.isSubset(of: container?.Networks ?? []) }

    /// Whether the container runs as it should; else it is recreated.
    var isServing: Bool {
        guard let container, container.State == "running", let current = container.routePorts else { return false }
        return container.label(PodmanNames.routesDirectory) == settings.directory
            && settings.ports(current) == current
    }

    var ports: RoutePorts { settings.ports(container?.routePorts) }

    /// What a start does to the routes, as shown to a user.
    var items: [Plan.Item] {
        guard !isIdle else { return [] }
        var items: [Plan.Item] = []
        if !wanted.routes.isEmpty {
            let action: Plan.Action =
                container == nil ? .create : !isServing ? .replace : isConnected ? .keep : .update
            items.append(
                Plan.Item(
                    kind: "pod", name: settings.name, action: action,
                    reason: action == .keep ? nil : "it serves the routes of this host"))
        }
        for route in wanted.routes {
            let old = own?.routes.first { $0.place == route.place }
            let isKept = old == route && own?.acmeEmail == wanted.acmeEmail && own?.network == wanted.network
            items.append(
                Plan.Item(
                    kind: "route", name: route.place, action: old == nil ? .create : isKept ? .keep : .update,
                    reason: isKept ? nil : "it routes to \(route.service):\(route.port)"))
        }
        for route in own?.routes ?? [] where !wanted.routes.contains(where: { $0.place == route.place }) {
            items.append(Plan.Item(kind: "route", name: route.place, action: .remove, reason: "the spec dropped it"))
        }
        return items
    }
}

extension RouteState {
    /// The pods with the addresses of the routes that lead to them now.
    func showing(_ pods: [PodStatus]) -> [PodStatus] {
        guard isServing, let own else { return pods }
        return pods.showing(own.addresses(ports))
    }
}

extension PodmanContainerRecord {
    /// The ports on which it serves the routes of this host.
    var routePorts: RoutePorts? {
        let numbers = (label(PodmanNames.routesPorts) ?? "").split(separator: "/").compactMap { Int($0) }
        return numbers.count == 2 ? RoutePorts(http: numbers[0], https: numbers[1]) : nil
    }
}
