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

    /// What there is of a deployment's routes. Podman is asked once, and only where the deployment has routes or had some.
    func observe(_ wanted: DeploymentRoutes) async throws(DeploymentError) -> RouteState {
        var state = RouteState(wanted: wanted, settings: settings)
        state.own = try store.routes(of: model.id)
        state.isPending = store.isPending
        guard !state.isIdle else { return state }
        do {
            state.container = try await container()
        } catch {
            throw DeploymentError(podman: error)
        }
        return state
    }

    func container() async throws(CommandFailure) -> PodmanContainerRecord? {
        try await podman.records(
            PodmanContainerRecord.self, PodmanArguments.containers(label: PodmanNames.routes, value: settings.name)
        ).first { $0.name == settings.container }
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
        let container = try await container()
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
            if !belongsElsewhere(container) { try await remove(networks) }
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
            return try await make(state.ports, names.sorted(), networks)
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

    // MARK: The pod

    private func make(_ ports: RoutePorts, _ names: [String], _ networks: [PodmanNetworkRecord]) async throws {
        events(Event(settings.name, .creating))
        let labels = [
            PodmanNames.routes: settings.name, PodmanNames.routesDirectory: settings.directory,
            PodmanNames.routesPorts: "\(ports.http)/\(ports.https)",
        ]
        if !networks.contains(where: { $0.name == settings.name }) {
            try await podman.change(
                PodmanArguments.createNetwork(settings.name, labels: [PodmanNames.routes: settings.name]))
        }
        do {
            try await removePod()
            try await podman.change(
                PodmanArguments.createPod(settings.name, labels: labels, options: ["--infra=false"]))
            try await podman.change(
                PodmanArguments.run(
                    name: settings.container, pod: settings.name, labels: labels,
                    options: containerOptions(ports, names)))
            for network in networks where names.contains(network.name) { Bridge.pinAddress(network) }
            try await awaitAnswer()
        } catch {
            let log = await lastLines()
            if !(error is DeploymentError) { try? await removePod(graceSeconds: 0) }
            guard let failure = error as? CommandFailure, failure.code != .cancelled else { throw error }
            var wrapped = DeploymentError(.failed, "the pod that serves the routes cannot be started")
            wrapped.failures = [
                ServiceFailure(
                    settings.name, .notCreated, "podman would not start \(settings.effectiveImage)",
                    hint: "the image must hold Caddy 2.6 or newer as `caddy`",
                    log: failure.standardError.split(separator: "\n").suffix(5).map(String.init) + log)
            ]
            throw wrapped
        }
        events(Event(settings.name, .started))
    }

    /// - Throws: ``DeploymentError`` (`notPermitted`) where the pod of that name is somebody else's.
    private func removePod(graceSeconds: Int = 2) async throws {
        let found = try await podman.records(PodmanPodRecord.self, PodmanArguments.pods(name: settings.name))
        for pod in found where pod.Name == settings.name {
            guard pod.label(PodmanNames.routes) == settings.name else {
                throw DeploymentError(
                    .notPermitted, "the pod \(pod.Name) exists already, and was not made by so: it is left alone",
                    hint: "remove or rename it")
            }
            let containers = try await container().map { [$0] } ?? []
            try await podman.remove(pod: pod.Name, containers, graceSeconds: graceSeconds)
        }
    }

    /// Inside, it listens on the same ports as outside: redirections name the right one by themselves. The first network is its own, where
    /// nobody comes or goes: what comes in from the world finds its way back.
    func containerOptions(_ ports: RoutePorts, _ names: [String]) -> [String] {
        ([settings.name] + names).flatMap { ["--network", $0] } + [
            "--publish", "\(ports.http):\(ports.http)", "--publish", "\(ports.https):\(ports.https)",
            "--restart", "always", "--user", "0", "--log-driver", "k8s-file",
            "--mount", "type=bind,source=\(settings.configurationDirectory),destination=/so,readonly",
            "--volume", "\(settings.volume):/data", "--env", "XDG_DATA_HOME=/data", "--env", "XDG_CONFIG_HOME=/data",
            "--entrypoint", "[\"caddy\"]", settings.effectiveImage, "run", "--config", RouteStore.loadedPath,
        ]
    }

    /// Waits until Caddy takes orders: it does once it serves. It writes a line of its log with each step of its start, and is asked after each.
    private func awaitAnswer() async throws {
        let (steps, step) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let log = podman.command(PodmanArguments.logs(settings.container, LogSelection(follow: true)))
        let takesOrders = try await withDeadline(.seconds(30)) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    defer { step.finish() }
                    _ = try await log.lines { _, _ in step.yield() }
                }
                defer { group.cancelAll() }
                step.yield()
                for await _ in steps where try await reloads() { return true }
                return false
            }
        }
        // Why not is what it says when it is asked for the last time.
        if takesOrders != true { try await reloading.run() }
    }

    private var reloading: Command {
        podman.command(PodmanArguments.reloadRoutes(settings.container, configuration: RouteStore.loadedPath))
    }

    private func reloads() async throws -> Bool {
        do {
            try await reloading.run()
            return true
        } catch {
            guard error.isExit else { throw error }
            return false
        }
    }

    private func lastLines() async -> [String] {
        let arguments = PodmanArguments.logs(settings.container, LogSelection(tail: 5))
        guard let output = try? await podman.command(arguments).result(), output.status == 0 else { return [] }
        return (output.text + "\n" + output.standardError).split(separator: "\n").suffix(5).map(String.init)
    }

    /// The pod, its network and its configuration; the certificates stay.
    private func remove(_ networks: [PodmanNetworkRecord]) async throws {
        try await removePod()
        if networks.contains(where: { $0.name == settings.name && $0.labels?[PodmanNames.routes] == settings.name }) {
            try await podman.change(PodmanArguments.removeNetwork(settings.name))
        }
        try store.removeConfiguration()
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
