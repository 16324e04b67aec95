import KubernetesClient
import KubernetesTestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// `stop --delete-namespace` deletes all that the namespace holds: nothing in it may be anybody else's, of whatever kind.
@Suite struct NamespaceContentTests {
    private let stack = "services: {web: {image: localhost/x:1, expose: [\"80\"]}}\n"

    private var options: StopOptions {
        var options = StopOptions()
        options.deleteVolumes = true
        options.deleteNamespace = true
        return options
    }

    private func put(_ text: String, _ resource: String, in cluster: ClusterFixture) async throws {
        await cluster.server.store.put(resource, try readJSON(Array(text.utf8)))
    }

    @Test(arguments: [
        ("statefulsets", "apps/v1", "StatefulSet"), ("secrets", "v1", "Secret"), ("configmaps", "v1", "ConfigMap"),
        ("roles", "rbac.authorization.k8s.io/v1", "Role"), ("serviceaccounts", "v1", "ServiceAccount"),
        ("pods", "v1", "Pod"), ("persistentvolumeclaims", "v1", "PersistentVolumeClaim"),
        ("databases", "example.com/v1beta1", "Database"), ("endpoints", "v1", "Endpoints"),
    ])
    func `an object of somebody else's keeps the namespace, and the deployment in it`(
        resource: String, version: String, kind: String
    ) async throws {
        try await withCluster { cluster in
            await cluster.server.store.serve(
                ResourceType(group: "example.com", version: "v1beta1", kind: "Database", resource: "databases"))
            let handle = try cluster.handle(stack)
            try await handle.start()
            try await put(
                #"{"kind": "\#(kind)", "apiVersion": "\#(version)", "metadata": {"name": "theirs", "namespace": "so-test"}}"#,
                resource, in: cluster)
            let error = await failure { try await handle.stop(options) }
            #expect(error?.code == .notPermitted)
            #expect(error?.message.contains("\(kind)/theirs") ?? false, "\(String(describing: error))")
            #expect(await cluster.names(resource).contains("theirs"))
            #expect(await cluster.names("deployments") == ["web"], "nothing was stopped")
            #expect(await cluster.server.store.object("namespaces", "so-test") != nil)
        }
    }

    @Test func `what Kubernetes and its controllers put there does not keep it`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(stack)
            try await handle.start()
            let owned = #""ownerReferences": [{"kind": "Deployment", "name": "web", "controller": true}]"#
            for (resource, kind, name, more) in [
                ("configmaps", "ConfigMap", "kube-root-ca.crt", ""),
                ("serviceaccounts", "ServiceAccount", "default", ""),
                ("events", "Event", "web.1", ""), ("leases", "Lease", "web", ""), ("endpoints", "Endpoints", "web", ""),
                ("replicasets", "ReplicaSet", "web-1", owned), ("pods", "Pod", "web-1-1", owned),
                ("endpointslices", "EndpointSlice", "web-x", owned),
                (
                    "secrets", "Secret", "web-tls",
                    #""annotations": {"cert-manager.io/certificate-name": "web-tls"}"#
                ),
                (
                    "secrets", "Secret", "default-token",
                    #""annotations": {"kubernetes.io/service-account.name": "default"}"#
                ),
            ] {
                let rest = more.isEmpty ? "" : ", \(more)"
                try await put(
                    #"{"kind": "\#(kind)", "metadata": {"name": "\#(name)", "namespace": "so-test"\#(rest)}}"#,
                    resource,
                    in: cluster)
            }
            try await put(
                #"""
                {"kind": "ConfigMap", "metadata": {"name": "istio-ca-root-cert", "namespace": "so-test"},
                 "data": {"root-cert.pem": "-----BEGIN CERTIFICATE-----\nMII\n-----END CERTIFICATE-----\n"}}
                """#, "configmaps", in: cluster)
            try await handle.stop(options)
            #expect(await cluster.server.store.object("namespaces", "so-test") == nil)
        }
    }

    @Test func `a kind that may not be looked at keeps it`() async throws {
        try await withCluster { cluster in
            let handle = try cluster.handle(stack)
            try await handle.start()
            await cluster.server.store.forbid("statefulsets")
            let error = await failure { try await handle.stop(options) }
            #expect(error?.code == .notPermitted)
            #expect(error?.message.contains("statefulsets.apps") ?? false, "\(String(describing: error))")
            #expect(await cluster.names("deployments") == ["web"])
        }
    }

    @Test(arguments: [false, true])
    func `a session's own namespace goes by the rights to what so makes there, and stays for what others put there`(
        holdsOthers: Bool
    ) async throws {
        try await withCluster { cluster in
            var session = cluster
            session.hasVerbs = false
            let handle = try session.handle(stack)
            try await handle.start()
            await cluster.server.store.forbid("statefulsets")
            if holdsOthers {
                let pod =
                    #"{"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "theirs", "namespace": "so-test"}}"#
                try await put(pod, "pods", in: cluster)
                #expect(await failure { try await handle.stop(options) }?.message.contains("Pod/theirs") ?? false)
            } else {
                try await handle.stop(options)
            }
            #expect((await cluster.server.store.object("namespaces", "so-test") != nil) == holdsOthers)
        }
    }
}
