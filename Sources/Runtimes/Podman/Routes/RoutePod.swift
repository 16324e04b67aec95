import ExternalTools

/// The pod of Caddy that serves the routes of a host, with its network.
struct RoutePod: Sendable {
    let podman: Podman
    let settings: RouteSettings
    let events: EventHandler

    func container() async throws(CommandFailure) -> PodmanContainerRecord? {
        try await podman.records(
            PodmanContainerRecord.self, PodmanArguments.containers(label: PodmanNames.routes, value: settings.name)
        ).first { $0.name == settings.container }
    }

    func make(_ ports: RoutePorts, _ names: [String], _ networks: [PodmanNetworkRecord]) async throws {
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
    func remove(_ networks: [PodmanNetworkRecord]) async throws {
        try await removePod()
        if networks.contains(where: { $0.name == settings.name && $0.labels?[PodmanNames.routes] == settings.name }) {
            try await podman.change(PodmanArguments.removeNetwork(settings.name))
        }
        try RouteStore(settings: settings).removeConfiguration()
    }
}
