import FoundationEssentials
import KubernetesClient
import YAML

extension ClusterSession {
    /// Deletes an object and waits until it has gone, its dependants with it.
    func remove(_ key: ObjectKey, live: LiveObject?) async throws(DeploymentError) {
        let existed = try await call { () async throws(KubernetesError) in
            try await client.delete(
                key.type, key.name, namespace: key.namespace, propagation: key.isWorkload ? .foreground : .background,
                uid: live?.uid)
        }
        guard existed else { return }
        try await awaitGone(key, live: live)
    }

    /// Replaces the pods of a workload, as `kubectl rollout restart` does.
    func roll(_ key: ObjectKey) async throws(DeploymentError) -> LiveObject {
        let path = ["spec", "template", "metadata", "annotations", ClusterNames.restartedAt]
        let patch = Node.map([]).setting(path, .string(Date.now.formatted(.iso8601)))
        return try await call { () async throws(KubernetesError) in
            try await client.mergePatch(
                key.type, key.name, namespace: key.namespace, patch, manager: ClusterNames.restarter)
        }
    }

    /// Makes a released volume free for the claim that it names: the data stays.
    func free(_ volume: LiveObject) async throws(DeploymentError) {
        let patch = Node.map([
            ("metadata", .map([("resourceVersion", .string(volume.resourceVersion))])),
            (
                "spec",
                .map([("claimRef", .map([("uid", .plain("null")), ("resourceVersion", .plain("null"))]))])
            ),
        ])
        _ = try await call { () async throws(KubernetesError) in
            try await client.mergePatch(.persistentVolumes, volume.name, namespace: nil, patch)
        }
    }
}
