import KubernetesClient
import KubernetesObjects
import Rendering
import YAML

/// Where the ingress controller of a cluster is reached from here.
struct Entrance: Hashable, Sendable {
    var host: String
    var port = 80
}

/// How long what is ready inside may take until it answers outside, in seconds.
struct AnswerPatience: Sendable {
    /// Proxies of ports follow a pod within a second; a port that nobody listens on is the stack's own affair.
    var port = 5.0
    /// Controllers gather changes before they take them up: https://doc.traefik.io/traefik/providers/overview/#configuration-reload-frequency
    var route = 30.0
    /// A refused connection is believed after this long: then the port cannot be reached from here, and nothing is known of it.
    var refusal = 1.0
}

extension ClusterSession {
    /// Waits until the published ports and the routes of what is ready answer on this host. What cannot be reached from here is not waited for.
    ///
    /// - Throws: where kind's own ingress controller never takes a route up; of another cluster's it is told.
    func awaitAnswers(
        _ published: [PublishedPort], patience: AnswerPatience, events: @escaping EventHandler
    ) async throws(DeploymentError) {
        try await awaitPorts(published, patience, events)
        guard let entrance else { return try await awaitIngresses(patience, events) }
        let unknown = try await unknown(routes, at: entrance, patience)
        guard !unknown.isEmpty else { return }
        throw neverServed(unknown)
    }

    /// Routes of a cluster's own controller answer where it says that they do. One that says nothing is not asked.
    private func awaitIngresses(
        _ patience: AnswerPatience, _ events: @escaping EventHandler
    ) async throws(DeploymentError) {
        let routes = routes
        guard !routes.isEmpty else { return }
        let live = try await call { () async throws(KubernetesError) in
            try await client.list(
                .ingresses, Selection(namespace: namespace, labels: "\(Keys.instance)=\(model.id)")
            ).items
        }
        for ingress in live {
            guard let entrance = ingress.entrance else { continue }
            let unknown = try await unknown(routes.filter { $0.ingress == ingress.name }, at: entrance, patience)
            guard !unknown.isEmpty else { continue }
            let text =
                "everything is ready, and the ingress controller at \(entrance.host) does not serve \(unknown.joined(separator: ", ")) yet"
            let hint = "kubectl -n \(namespace) describe ingress \(ingress.name)"
            events(Event(nil, .note(Diagnostic(.warning, at: nil, text, hint: hint))))
        }
    }

    // MARK: Ports

    private func awaitPorts(
        _ published: [PublishedPort], _ patience: AnswerPatience, _ events: @escaping EventHandler
    ) async throws(DeploymentError) {
        let ports = published.filter { $0.port.transport == "tcp" }
        let silent = try await each(ports) { published async throws(DeploymentError) -> PublishedPort? in
            let probe = AddressProbe(host: published.port.hostIP)
            let reach = await lasting(patience.port, patience) { await probe.reach(published.port.hostPort) }
            await probe.shutDown()
            return reach == .silent ? published : nil
        }
        if Task.isCancelled { throw DeploymentError(.cancelled, "cancelled") }
        for published in silent.compactMap({ $0 }) {
            let port = published.port
            let text =
                "\(published.service) is ready, but nothing answers at \(port.hostIP):\(port.hostPort), which is mapped to its port \(port.containerPort)"
            let hint = "does it listen on that port, and on all addresses? so deployment logs \(published.service)"
            events(Event(published.service, .note(Diagnostic(.warning, at: nil, text, hint: hint))))
        }
    }

    // MARK: Routes

    private struct Route: Hashable, Sendable {
        var ingress: String
        var hostName: String
        var path: String
        var url: String { "http://\(hostName)\(path)" }
    }

    /// Those of all hosts are not told from what the controller answers to nobody's host.
    private var routes: [Route] {
        model.rendered.objects.flatMap { object -> [Route] in
            guard case .ingress(let ingress) = object else { return [] }
            return ingress.spec.rules.flatMap { rule -> [Route] in
                guard let host = rule.host, !host.isEmpty else { return [] }
                let name = host.hasPrefix("*.") ? "so-probe\(host.dropFirst())" : host
                return rule.http.paths.map { Route(ingress: object.name, hostName: name, path: $0.path) }
            }
        }
    }

    /// The routes that the controller answers as it answers a host that no route has.
    private func unknown(
        _ routes: [Route], at entrance: Entrance, _ patience: AnswerPatience
    ) async throws(DeploymentError) -> [String] {
        let probe = AddressProbe(host: entrance.host)
        do throws(DeploymentError) {
            let unknown = try await unknown(routes, at: entrance, probe, patience)
            await probe.shutDown()
            return unknown
        } catch {
            await probe.shutDown()
            throw error
        }
    }

    private func unknown(
        _ routes: [Route], at entrance: Entrance, _ probe: AddressProbe, _ patience: AnswerPatience
    ) async throws(DeploymentError) -> [String] {
        let found = try await each(routes) { route async throws(DeploymentError) -> String? in
            let reach = await lasting(patience.route, patience) {
                let answer = await probe.answer(entrance.port, hostName: route.hostName, path: route.path)
                guard let answer else {
                    return await probe.reach(entrance.port) == .unreachable ? .unreachable : .silent
                }
                if answer.status != 404 { return .open }
                let none = await probe.answer(entrance.port, hostName: "so-probe.invalid", path: route.path)
                return none == answer ? .silent : .open
            }
            return reach == .silent ? route.url : nil
        }
        if Task.isCancelled { throw DeploymentError(.cancelled, "cancelled") }
        return found.compactMap { $0 }
    }

    private func neverServed(_ urls: [String]) -> DeploymentError {
        DeploymentError(
            .failed, "the ingress controller never took up \(urls.joined(separator: ", "))",
            cause: "nothing answers there, or the controller does as for an unknown host (404: no matching route)",
            hint:
                "see what it says: kubectl -n so-ingress logs deployment/traefik, kubectl -n \(namespace) describe ingress"
        )
    }

    /// Asks again, ever more seldom, until somebody answers; else how it stands when the time is over.
    private func lasting(
        _ seconds: Double, _ patience: AnswerPatience, _ question: @Sendable () async -> AddressProbe.Reach
    ) async -> AddressProbe.Reach {
        let begin = ContinuousClock.now
        var pause = 0.05
        while true {
            let reach = await question()
            let limit = reach == .unreachable ? min(patience.refusal, seconds) : seconds
            if reach == .open || begin.duration(to: .now).seconds + pause > limit { return reach }
            do { try await Task.sleep(for: .seconds(pause)) } catch { return reach }
            pause = min(pause * 1.5, 1)
        }
    }
}

extension LiveObject {
    /// Where an Ingress's controller says that it serves it over HTTP.
    ///
    /// Rule: <https://kubernetes.io/docs/reference/kubernetes-api/service-resources/ingress-v1/#IngressStatus>
    fileprivate var entrance: Entrance? {
        guard let place = status?.at("loadBalancer", "ingress")?.sequence?.first,
            let host = place["ip"]?.text ?? place["hostname"]?.text, !host.isEmpty
        else { return nil }
        let ports = (place["ports"]?.sequence ?? []).compactMap { $0["port"]?.intValue }
        return Entrance(host: host, port: ports.isEmpty || ports.contains(80) ? 80 : ports[0])
    }
}
