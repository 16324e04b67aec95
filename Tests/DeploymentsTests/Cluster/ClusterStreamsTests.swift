import Deployments
import ExternalTools
import FoundationEssentials
import KubernetesClient
import KubernetesTestSupport
import Rendering
import TestSupport
import Testing
import YAML

@testable import Runtimes

/// What kubectl does for a deployment reaches the caller as events and bytes, and nothing of it this process's own streams.
@Suite struct ClusterStreamsTests {
    private let stack = "services:\n  web:\n    image: localhost/x:1\n"

    /// A handle whose kubectl is a script, and whose pod runs.
    private func withKubectl(
        _ script: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (DeploymentHandle, ClusterFixture, Node) async throws -> Void
    ) async throws {
        try await withCluster { cluster in
            let bin = cluster.directory + "/bin"
            try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
            try write("#!/bin/sh\n\(script)\n", to: bin + "/kubectl", mode: 0o755)
            var handle = try cluster.handle(stack)
            var access = try cluster.server.access
            access.environment = ["PATH": "\(bin):/usr/bin:/bin"]
            handle.runtime = ClusterRuntime(find: { [access] () async throws(DeploymentError) in access })
            let labels = [(Keys.instance, Node.string(handle.model.id)), (Keys.name, .string("web"))]
            let metadata = Node.map([
                ("name", .string("web-1")), ("namespace", .string(handle.model.namespace)), ("labels", .map(labels)),
            ])
            await cluster.server.store.setController { $0.status }
            let pod = Node.map([
                ("kind", .string("Pod")), ("apiVersion", .string("v1")), ("metadata", metadata),
                ("spec", .map([("containers", .list([.map([("name", .string("web"))])]))])),
                ("status", .map([("phase", .string("Running"))])),
            ])
            await cluster.server.store.put("pods", pod)
            try await body(handle, cluster, pod)
        }
    }

    private func withKubectl(
        _ script: String, isolation: isolated (any Actor)? = #isolation,
        _ body: (DeploymentHandle, String) async throws -> Void
    ) async throws {
        try await withKubectl(script) { handle, cluster, _ in try await body(handle, cluster.directory) }
    }

    private static func conditions(_ values: (String, String)...) -> Node {
        .map([
            ("phase", .string("Running")),
            (
                "conditions",
                .list(values.map { .map([("type", .string($0.0)), ("status", .string($0.1))]) })
            ),
        ])
    }

    @Test(arguments: [false, true]) func `a command on a node that has vanished ends, though nothing closes it`(
        isDeleted: Bool
    ) async throws {
        try await withKubectl("echo said; exec sleep 1000") { handle, cluster, pod in
            var handle = handle
            var runtime = try #require(handle.runtime as? ClusterRuntime)
            runtime.presenceInterval = .milliseconds(20)
            handle.runtime = runtime
            let (lines, said) = AsyncStream.makeStream(of: Void.self)
            let streams = CommandStreams { _, _ in said.yield() }
            let running = Task { [handle] in
                try await handle.exec(ExecRequest(service: "web", command: ["tail", "-f", "x"]), on: streams)
            }
            for await _ in lines { break }
            if isDeleted {
                await cluster.server.store.finishDeletion("pods", "web-1", namespace: handle.model.namespace)
            } else {
                let lost = Self.conditions(("Ready", "False"), ("ContainersReady", "True"))
                await cluster.server.store.put("pods", pod.setting(["status"], lost))
            }
            let error = await #expect(throws: DeploymentError.self) { try await running.value }
            #expect(error?.code == .unavailable && error?.message.contains("web-1 is lost") == true)
        }
    }

    @Test func `a pod is lost where its node says nothing of it any more, not where it is unwell or just ends`() {
        func pod(_ status: Node, _ more: [(String, Node)] = []) -> LiveObject {
            LiveObject(.map([("metadata", .map([("name", .string("p"))] + more)), ("status", status)]))
        }
        #expect(PodPresence.loss(pod(Self.conditions(("Ready", "True"), ("ContainersReady", "True")))) == nil)
        #expect(PodPresence.loss(pod(Self.conditions(("Ready", "False"), ("ContainersReady", "False")))) == nil)
        #expect(PodPresence.loss(pod(.map([("phase", .string("Unknown"))])))?.patience == .zero)
        let ending = [
            ("deletionTimestamp", Node.string("2026-11-22T00:00:00Z")), ("deletionGracePeriodSeconds", .plain("10")),
        ]
        #expect(PodPresence.loss(pod(.map([("phase", .string("Running"))]), ending))?.patience == .seconds(40))
    }

    @Test func `a forwarded port says where it listens, and ends with its task`() async throws {
        let script = """
            echo "$*" >"$(dirname "$0")/arguments"
            echo 'Forwarding from 127.0.0.1:4711 -> 80'; echo 'Forwarding from [::1]:4711 -> 80'; echo 'lost' >&2
            exec sleep 1000
            """
        try await withKubectl(script) { handle, directory in
            let (events, told) = AsyncStream.makeStream(of: ForwardEvent.self)
            let forwarding = Task {
                try await handle.forward(ForwardRequest(service: "web", hostPort: 0, port: 80)) { told.yield($0) }
            }
            var seen: Set<ForwardEvent> = []
            for await event in events {
                seen.insert(event)
                if seen.count == 3 { break }
            }
            #expect(
                seen == [
                    .listening(address: "127.0.0.1", port: 4711), .listening(address: "::1", port: 4711),
                    .message("lost"),
                ])
            forwarding.cancel()
            let error = await #expect(throws: DeploymentError.self) { try await forwarding.value }
            #expect(error?.code == .cancelled)
            let arguments = try read(directory + "/bin/arguments")
            #expect(arguments.contains("port-forward --address 127.0.0.1 pod/web-1 0:80"), "\(arguments)")
        }
    }

    @Test func `what a copy says comes on the caller's streams`() async throws {
        try await withKubectl("echo said; echo failed >&2; exit 3") { handle, directory in
            try write("x", to: directory + "/file")
            let bytes = Bytes()
            let request = CopyRequest(
                service: "web", direction: .intoService, pathInService: "/x", path: directory + "/file")
            let code = try await handle.copy(
                request, on: CommandStreams { stream, part in await bytes.add(part, stream) })
            #expect(code == 3)
            #expect(await bytes.text(.standardOutput) == "said\n")
            #expect(await bytes.text(.standardError) == "failed\n")
        }
    }
}
