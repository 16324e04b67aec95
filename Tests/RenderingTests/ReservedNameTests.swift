import KubernetesObjects
import Rendering
import Testing
import YAML

/// What `so` writes on objects and reads back there is never what a stack wrote.
@Suite struct ReservedNameTests {
    @Test(arguments: RenderOptions.Target.allCases)
    func `labels with so's own prefix are left out of every object, and named with their place`(
        _ target: RenderOptions.Target
    ) throws {
        let label = #"{"stack-orchestrator.dev/podman.web": "device=/dev/vda", mine: kept}"#
        let rendered = try render(
            """
            services:
              web:
                image: i
                labels: \(label)
                annotations: {"stack-orchestrator.dev/start-periods": "web=99", "stack-orchestrator.dev/network.x": a}
                deploy: {labels: \(label)}
                configs: [c]
                secrets: [s]
                volumes: ["v:/v"]
            configs: {c: {content: x, labels: \(label)}}
            secrets: {s: {file: ./s, labels: \(label)}}
            volumes: {v: {labels: \(label)}}
            """, target: target, files: ["/p/s": "x"])
        #expect(rendered.errors == [])
        for key in [
            "labels", "annotations", "deploy.labels", "configs.c.labels", "secrets.s.labels", "volumes.v.labels",
        ] {
            let named = rendered.diagnostics.filter {
                $0.what.contains("`\(key)`") && $0.what.contains("stack-orchestrator.dev/")
            }
            #expect(named.first?.mark?.file == "/p/compose.yml", "\(key): \(rendered.warnings)")
        }
        let pod = try rendered.pod("web")
        #expect(pod.metadata.annotations?["mine"] == "kept")
        let names = pod.metadata.annotations?.values.keys.filter { $0.hasPrefix("stack-orchestrator.dev/") } ?? []
        #expect(names.isEmpty, "\(names)")
        for secret in rendered.deployment.secrets {
            #expect(secret.annotations["mine"] == "kept" && secret.annotations.values.count == 1)
        }
        #expect(rendered.deployment.workloads.first?.podman.containers["web"]?.devices.isEmpty ?? true)
    }

    @Test(arguments: ["labels", "annotations"])
    func `the spec's own labels cannot have so's prefix either`(_ key: String) throws {
        let rendered = try render(
            "services: {web: {image: i}}", target: .podman,
            spec: "\(key): {\"stack-orchestrator.dev/{name}\": x}")
        #expect(rendered.errors.count == 1)
        #expect(rendered.errors.first?.contains("names with stack-orchestrator.dev/ are so's own") == true)
        #expect(rendered.diagnostics.first { $0.severity == .error }?.mark?.file == "spec.yml")
    }

    @Test func `what only podman needs is in no object`() throws {
        let rendered = try render(
            """
            services:
              web:
                image: i
                user: nobody
                hostname: a.example.com
                ulimits: {nofile: 10}
                pids_limit: 5
                group_add: [video]
                tmpfs: ["/t:mode=700"]
                volumes: ["v:/v:nocopy"]
                healthcheck: {test: "true", start_period: 9s}
            volumes: {v: }
            """, target: .podman)
        let settings = try rendered.settings("web")
        #expect(settings.user == "nobody" && settings.processes == 5 && settings.groups == ["video"])
        #expect(settings.modes == ["/t": 0o700] && settings.unfilled == ["/v"])
        #expect(settings.limits == [PodmanSettings.Limit(name: "nofile", soft: 10, hard: 10)])
        let workload = try #require(rendered.deployment.workloads.first)
        #expect(workload.podman.hostname == "a.example.com" && workload.startPeriods == ["web": 9])
        #expect(try rendered.pod("web").metadata.annotations == nil)
    }
}
