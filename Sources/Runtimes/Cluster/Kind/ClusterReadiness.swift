import ExternalTools
import FoundationEssentials
import KubernetesClient
import YAML

extension KubernetesClient {
    /// Seconds for which a cluster may come up without a change in what it lacks.
    private static let patience = 120.0

    /// - Parameters:
    ///   - boots: when nodes were started last, by name.
    ///   - waiting: called once where something is to be waited for.
    /// - Returns: what is missing still when nothing has changed for long; nil: nothing.
    func awaitNothingMissing(since boots: [String: Date], waiting: () -> Void) async -> String? {
        guard let first = await missing(since: boots) else { return nil }
        waiting()
        let (changes, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let lastChange = SilenceClock()
        return await withTaskGroup(of: Void.self) { group in
            for (type, namespace) in Self.told {
                group.addTask { await tell(type, Selection(namespace: namespace), signal) }
            }
            group.addTask {
                try? await lastChange.wait(.seconds(Self.patience))
                signal.finish()
            }
            defer { group.cancelAll() }
            var last = first
            for await _ in changes {
                let now: String?
                do throws(KubernetesError) {
                    now = try await lack(since: boots)
                } catch {
                    now = "\(error)"
                    group.addTask {
                        await pause()
                        signal.yield()
                    }
                }
                guard let now else { return nil }
                if now != last { lastChange.heard() }
                last = now
            }
            return last
        }
    }

    /// Signals all changes of a kind's objects.
    private func tell(
        _ type: ResourceType, _ selection: Selection, _ signal: AsyncStream<Void>.Continuation
    ) async {
        while !Task.isCancelled {
            try? await watch(type, selection) { _ in signal.yield() }
            await pause()
        }
    }

    /// A server that is not up yet cannot tell when it is.
    private func pause() async { try? await Task.sleep(for: .seconds(1)) }

    /// What ``lack(since:)`` asks about.
    private static let told: [(ResourceType, namespace: String?)] = [
        (.nodes, nil), (.leases, "kube-node-lease"), (.pods, "kube-system"),
    ]

    /// What a cluster needs before pods can run in it, or why it does not say.
    func missing(since boots: [String: Date]) async -> String? {
        do {
            return try await lack(since: boots)
        } catch {
            return "\(error)"
        }
    }

    private func lack(since boots: [String: Date]) async throws(KubernetesError) -> String? {
        try await checkReady()
        for node in try await list(.nodes, Selection()).items where !node.isTrue("Ready") {
            let reason = node.condition("Ready")?["message"]?.text ?? "its kubelet has not said anything"
            return "the node \(node.name) is not ready: \(reason)"
        }
        return try await unheard(since: boots)
    }

    /// What kind gives every node and cluster: without it names and ports lead nowhere.
    private static let needed: Set = ["kube-proxy", "kube-dns", "kindnet"]

    /// Whose word is still from before its node was started: until the kubelet speaks, the API repeats what it said then.
    private func unheard(since boots: [String: Date]) async throws(KubernetesError) -> String? {
        for (node, boot) in boots.sorted(by: { $0.key < $1.key }) {
            let lease = try await get(.leases, node, namespace: "kube-node-lease")
            // https://kubernetes.io/docs/concepts/architecture/leases/#node-heart-beats
            guard let renewed = lease?.spec?["renewTime"]?.text.flatMap(KindNode.date), renewed >= boot else {
                return "the kubelet of \(node) has not reported since the node was started"
            }
        }
        for pod in try await list(.pods, Selection(namespace: "kube-system")).items {
            guard Self.needed.contains(pod.labels["k8s-app"] ?? ""), !pod.isTerminating,
                let boot = pod.nodeName.flatMap({ boots[$0] })
            else { continue }
            if !pod.isTrue("Ready") || pod.isFrom(before: boot) {
                return "\(pod.name) of the cluster itself has not become ready since the node was started"
            }
        }
        return nil
    }
}
