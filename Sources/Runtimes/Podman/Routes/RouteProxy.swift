import ExternalTools

/// The one pod of this host that serves the routes of all its deployments.
///
/// Each deployment's routes are a file; Caddy's configuration is made of all of them and of nothing else. So whoever comes next goes on from any
/// state: a change that was cut short, which a file tells of, a pod that is gone, a network that was removed by hand.
struct RouteProxy: Sendable {
    let podman: Podman
    let settings: RouteSettings
    let model: DeploymentModel
    var events: EventHandler = { _ in }

    var store: RouteStore { RouteStore(settings: settings) }
    private var pod: RoutePod { RoutePod(podman: podman, settings: settings, events: events) }

    /// What there is of a deployment's routes. Podman is asked once, and only where the deployment has routes or had some.
    func observe(_ wanted: DeploymentRoutes) async throws(DeploymentError) -> RouteState {
        var state = RouteState(wanted: wanted, settings: settings)
        state.own = try store.routes(of: model.id)
        state.isPending = store.isPending
        guard !state.isIdle else { return state }
        do {
            state.container = try await pod.container()
        } catch {
            throw DeploymentError(podman: error)
        }
        return state
    }

    // MARK: Preflight

    /// Refuses what cannot be served, and fetches what serving takes, before anything is started or stopped.
    func prepare(_ state: RouteState) async throws(DeploymentError) {
        try await refuse(state)
        guard !state.wanted.routes.isEmpty, !state.isServing else { return }
        try refuseBusyPorts(state)
        try await Images(podman: podman, model: model, events: events).provide(
            settings.effectiveImage, for: settings.name,
            hint:
                "fetch it: podman pull \(shellQuoted(settings.effectiveImage)); or name another one that holds Caddy 2.6 or "
                + "newer in the spec: `caddy-ingress-image:`")
    }

    /// Refuses routes that another deployment has already, and settings that cannot be.
    func refuse(_ state: RouteState) async throws(DeploymentError) {
        guard !state.wanted.routes.isEmpty else { return }
        if let problem = settings.problem {
            throw DeploymentError(.unsupported, problem, hint: "correct it, or unset it")
        }
        if belongsElsewhere(state.container) {
            let directory = state.container?.label(PodmanNames.routesDirectory) ?? ""
            throw DeploymentError(
                .notPermitted, "the routes of this host are kept in \(directory), not in \(settings.directory)",
                hint: "set XDG_STATE_HOME as it was there; or stop the deployments that are routed there")
        }
        let others = try store.all()
        guard state.wanted.collision(with: others) != nil else { return }
        do {
            let networks = try await podman.records(PodmanNetworkRecord.self, PodmanArguments.allNetworks)
            try refuseCollision(state.wanted, others.filter { $0.isAlive(networks) })
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
    }

    /// Whether the pod serves routes that are kept in another directory.
    private func belongsElsewhere(_ container: PodmanContainerRecord?) -> Bool {
        guard let directory = container?.label(PodmanNames.routesDirectory) else { return false }
        return directory != settings.directory && Files.isDirectory(directory)
    }

    func refuseCollision(_ wanted: DeploymentRoutes, _ others: [DeploymentRoutes]) throws(DeploymentError) {
        guard let (route, other) = wanted.collision(with: others) else { return }
        throw DeploymentError(
            .notPermitted, "the route \(route.place) belongs to another deployment: \(other.owner)",
            hint:
                "choose another host-name or path in network.http-proxy, or stop that deployment: so deployment --dir "
                + "\(shellQuoted(other.owner)) stop")
    }

    /// Only ports that our own pod does not hold.
    private func refuseBusyPorts(_ state: RouteState) throws(DeploymentError) {
        let held = state.container?.State == "running" ? state.container?.routePorts : nil
        let wanted = [(state.ports.http, "SO_HTTP_PORT", 8080), (state.ports.https, "SO_HTTPS_PORT", 8443)]
        let failures = wanted.compactMap { number, variable, other -> ServiceFailure? in
            guard number != held?.http, number != held?.https else { return nil }
            let port = HostPort(address: "", port: number, containerPort: number, transport: "tcp")
            switch HostPorts.obstacle(port) {
            case nil: return nil
            case .inUse:
                return ServiceFailure(
                    settings.name, .portInUse, HostPorts.reason(port),
                    hint:
                        "stop who has it: ss -lntp 'sport = :\(number)'; or serve the routes elsewhere: \(variable)=\(other)"
                )
            case .notPermitted:
                return ServiceFailure(
                    settings.name, .portInUse, "port \(number) of this host is root's",
                    hint:
                        "allow it: sysctl net.ipv4.ip_unprivileged_port_start=\(number); or serve the routes elsewhere: "
                        + "\(variable)=\(other)")
            }
        }
        guard failures.isEmpty else {
            var error = DeploymentError(.failed, "the routes cannot be served; nothing was changed")
            error.failures = failures
            throw error
        }
    }

    // MARK: Applying

    /// Brings what is served up to this deployment's routes, and returns the ports; nil where nothing is served any more.
    @discardableResult
    func apply(_ wanted: DeploymentRoutes) async throws(DeploymentError) -> RoutePorts? {
        try await reconcile(wanted.routes.isEmpty ? nil : wanted)
    }

    /// Takes a deployment's routes away, and with the last one the pod. What cannot be done is told: nothing keeps a stop from going on.
    func withdraw() async {
        let own = try? store.routes(of: model.id)
        guard own != nil || model.hasRoutes || Files.exists(settings.directory + "/\(model.id).json") else { return }
        do {
            _ = try await reconcile(nil)
            for route in own?.routes ?? [] { events(Event(nil, .deleted("route \(route.place)"))) }
        } catch {
            events(Event(nil, .kept("the routes: \(error)")))
        }
    }

    private func reconcile(_ wanted: DeploymentRoutes?) async throws(DeploymentError) -> RoutePorts? {
        do {
            return try await store.locked { try await reconcileLocked(wanted) }
        } catch let error as DeploymentError {
            throw error
        } catch {
            throw DeploymentError(podman: commandFailure(error))
        }
    }

    private func reconcileLocked(_ wanted: DeploymentRoutes?) async throws -> RoutePorts? {
        let container = try await pod.container()
        let networks = try await podman.records(PodmanNetworkRecord.self, PodmanArguments.allNetworks)
        var all = try store.all().filter { $0.deployment != model.id }
        for routes in all where !routes.isAlive(networks) { try store.write(nil, of: routes.deployment) }
        all.removeAll { !$0.isAlive(networks) }
        if let wanted {
            try refuseCollision(wanted, all)
            all.append(wanted)
        }
        let before = try store.routes(of: model.id)
        let wasCutShort = store.isPending
        try store.begin()
        try store.write(wanted, of: model.id)
        guard !all.isEmpty else {
            if !belongsElsewhere(container) { try await pod.remove(networks) }
            try store.finish()
            return nil
        }
        var state = RouteState(wanted: wanted ?? all[0], settings: wanted == nil ? settings.withoutPorts : settings)
        state.container = container
        state.isPending = wasCutShort
        do {
            try await serve(all, state, networks, makesPod: wanted != nil)
        } catch {
            // Routes that Caddy refuses must not stand in the way of the others.
            try store.write(before, of: model.id)
            throw error
        }
        try store.finish()
        return state.ports
    }

    private func serve(
        _ all: [DeploymentRoutes], _ state: RouteState, _ networks: [PodmanNetworkRecord], makesPod: Bool
    ) async throws {
        let names = all.reduce(into: Set()) { $0.formUnion($1.networks) }
        let ours = networks.filter { names.contains($0.name) }
        let gateways = Dictionary(
            ours.compactMap { network in network.subnets?.first?.gateway.map { (network.name, $0) } }
        ) { $1 }
        let bytes = CaddyConfiguration(ports: state.ports, gateways: gateways).json(all)
        for network in ours { Bridge.pinAddress(network) }
        guard state.isServing, let container = state.container else {
            try store.propose(bytes)
            try store.accept()
            guard makesPod else { return }
            return try await pod.make(state.ports, names.sorted(), networks)
        }
        let connected = Set(container.Networks ?? [])
        for network in names.subtracting(connected).sorted() {
            try await podman.change(PodmanArguments.connect(settings.container, to: network))
        }
        for network in ours where !connected.contains(network.name) { Bridge.pinAddress(network) }
        if try state.isPending || store.loaded() != bytes { try await reload(bytes) }
        for network in connected.subtracting(names).subtracting([settings.name]).sorted() {
            _ = try await podman.command(
                PodmanArguments.disconnect(settings.container, from: network), cancellation: .finish
            ).result()
        }
    }

    /// Hands Caddy a new configuration; requests that are under way go on by the old one.
    private func reload(_ bytes: [UInt8]) async throws {
        try store.propose(bytes)
        let output = try await podman.command(
            PodmanArguments.reloadRoutes(settings.container, configuration: RouteStore.nextPath), cancellation: .finish
        ).result()
        guard output.status == 0 else {
            try store.reject()
            throw DeploymentError(
                .failed, "Caddy refuses the new routes; the old ones stay",
                cause: output.standardError.split(separator: "\n").last.map(String.init),
                hint: "podman logs \(settings.container)")
        }
        try store.accept()
    }
}

extension DeploymentRoutes {
    /// Whether the deployment's network is still there, and still its own.
    func isAlive(_ networks: [PodmanNetworkRecord]) -> Bool {
        self.networks.allSatisfy { name in
            networks.contains { $0.name == name && [nil, deployment].contains($0.labels?[PodmanNames.deployment]) }
        }
    }
}
