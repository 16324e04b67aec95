import FoundationEssentials
import TestSupport
import Testing

/// Sessions on the cluster that `SO_TEST_KUBECONFIG` names. `SO_TEST_LOAD_IMAGE` is a program that brings an archive of an image onto its nodes.
@Suite(
    .enabled(if: TestCluster.named != nil, "SO_TEST_KUBECONFIG names no cluster"),
    .enabled(if: TestCluster.loader != nil, "SO_TEST_LOAD_IMAGE names no program that brings images onto its nodes"),
    .debian, .serialized)
struct ClusterSessionTests {
    /// A project whose sessions run on the cluster, their images on its nodes.
    private func withProject(_ more: String, _ body: (WorkspaceScenario) async throws -> Void) async throws {
        try await withWorkspaces { scenario in
            let cluster = try #require(TestCluster.named)
            try scenario.declare(
                headless: "echo \"asked: $1\"; echo work >work.txt; [ \"$1\" != wait ] || exec sleep 1000")
            try await scenario.define(more)
            try await scenario.must("settings", "set", "deploy-to", "k8s")
            // What cannot be reached is told after the images are built.
            try await scenario.must("settings", "set", "kube-config", "/nonexistent")
            let unreached = try await scenario.so("session", "--prompt", "x")
            #expect(unreached.status == 69 && unreached.errors.contains("/nonexistent"), "\(unreached)")
            #expect(scenario.sessions == [])
            // Also those that an earlier test has built.
            for name in ["localhost/so-egress", "localhost/so-workspace"] {
                let images = try await Podman.lines("images", "--format", "{{.Repository}}:{{.Tag}}", name)
                for image in images { try await cluster.load(image) }
            }
            try await scenario.must("settings", "set", "kube-config", cluster.kubeconfig)
            var failure: (any Error)?
            do { try await body(scenario) } catch { failure = error }
            for id in scenario.sessions { _ = try await scenario.so("session", "finish", id, "--on-exit", "discard") }
            for id in scenario.sessions {
                let left = try await cluster.kubectl("get", "namespace", "so-\(id)", "--ignore-not-found", "-o", "name")
                #expect(left.output == "", "\(left)")
            }
            if let failure { throw failure }
        }
    }

    @Test func `a session works on a clone that came through exec, is left, stopped, resumed and finished`()
        async throws
    {
        try await withProject("egress: {deny-all: false}\n") { scenario in
            let id = try await scenario.must("session", "--detach", "--prompt", "wait")
            #expect(try await scenario.must("session", "status", id, "-o", "json").contains("\"runtime\": \"k8s\""))
            try await eventually("it works") { try await scenario.must("session", "logs", id) == "asked: wait" }
            let look = "git log --format=%s; git status --short; cat /etc/resolv.conf; ls /var/run/secrets 2>&1; id -u"
            let seen = try await scenario.must("session", "exec", "-T", id, "sh", "-c", look)
            #expect(seen.contains("\nfirst\n?? work.txt\nnameserver "), "\(seen)")
            #expect(!seen.contains("kubernetes.io") && seen.hasSuffix("\n1000"), "\(seen)")
            #expect(try await scenario.must("session", "diff", id).contains("+work"))
            try await scenario.must("session", "stop", id)
            #expect(try await scenario.must("session", "ls").contains("stopped"))
            // Without its record it is found by the labels of its namespace.
            let record = "\(scenario.sandbox.directory)/home/.local/state/so/sessions/\(id).json"
            let text = try read(record)
            removeTree(record)
            removeTree("\(scenario.sandbox.directory)/home/.local/state/so/sessions/\(id)")
            #expect(try await scenario.must("session", "ls").contains("orphaned"))
            let cleaned = try await scenario.so("session", "cleanup")
            #expect(cleaned.errors.contains("so-\(id)/work stays"), "\(cleaned)")
            try write(text, to: record, mode: 0o600)
            try await scenario.must("session", "resume", "--detach", id)
            #expect(try await scenario.must("session", "exec", "-T", id, "cat", "work.txt") == "work")
            let end = try await scenario.so("session", "finish", id, "--on-exit", "merge")
            #expect(end.succeeded && end.errors.contains("is merged into main"), "\(end)")
            #expect(try read(scenario.project.directory + "/work.txt") == "work\n")
            #expect(try await scenario.must("session", "logs", id).contains("asked: wait"))
        }
    }

    @Test
    func `a session of which this host knows nothing any more is found by its labels, and goes when that is asked for`()
        async throws
    {
        try await withProject("egress: {deny-all: false}\n") { scenario in
            let id = try await scenario.must("session", "--detach", "--prompt", "wait")
            try await eventually("it works") { try await scenario.must("session", "logs", id) == "asked: wait" }
            let state = "\(scenario.sandbox.directory)/home/.local/state/so"
            for name in ["sessions", "session-clusters", "keeper"] { removeTree("\(state)/\(name)") }
            // Who shares the cluster sees nothing of it, and removes nothing.
            var environment = scenario.sandbox.environment
            environment["XDG_STATE_HOME"] = scenario.sandbox.directory + "/other"
            for words in [["ls", "--quiet"], ["cleanup", "--delete-uncollected"]] {
                let other = try await run(
                    Sandbox.binary, ["session"] + words, environment: environment, directory: scenario.project.directory
                )
                #expect(other.succeeded && other.output == "", "\(other)")
            }
            let listed = try await scenario.so("session", "ls")
            #expect(
                listed.output.contains("orphaned") && listed.errors.contains(scenario.project.directory), "\(listed)")
            let kept = try await scenario.so("session", "cleanup")
            #expect(kept.succeeded && kept.output == "" && kept.errors.contains("so-\(id)/work stays"), "\(kept)")
            let dry = try await scenario.must("session", "cleanup", "--delete-uncollected", "--dry-run")
            #expect(dry == id)
            #expect(try await TestRuntime.named(id) != [])
            #expect(try await scenario.must("session", "cleanup", "--delete-uncollected") == id)
            try await eventually("its namespace is gone") { try await TestRuntime.named(id) == [] }
            #expect(try await scenario.must("session", "ls", "--quiet") == "")
        }
    }

    @Test func `the rights of rbac-sessions are all that a session takes`() async throws {
        try await withProject("keep-running: false\n") { scenario in
            let cluster = try #require(TestCluster.named)
            let rights = Shared.packageRoot + "/stacks/orchestrator/rbac-sessions.yml"
            let applied = try await cluster.kubectl("apply", "--filename", rights)
            try #require(applied.succeeded, "\(applied)")
            let own = scenario.sandbox.directory + "/rights.kubeconfig"
            try write(try read(cluster.kubeconfig), to: own, mode: 0o600)
            let token = try await cluster.kubectl(
                "create", "token", "so-sessions", "--namespace", "so-sessions", "--duration", "1h")
            let context = ["config", "--kubeconfig", own]
            let name = try await run(
                "kubectl", context + ["current-context"], environment: Podman.environment
            ).line
            for words in [
                ["set-credentials", "so-sessions", "--token", token.line],
                ["set-context", name, "--user", "so-sessions"],
            ] {
                let written = try await run("kubectl", context + words, environment: Podman.environment)
                try #require(written.succeeded, "\(written)")
            }
            try await scenario.must("settings", "set", "kube-config", own)
            let finished = try await scenario.so("session", "--prompt", "with these rights")
            #expect(finished.succeeded && finished.output == "asked: with these rights\n", "\(finished)")
            let nodes = try await run(
                "kubectl", ["--kubeconfig", own, "get", "nodes"], environment: Podman.environment)
            #expect(!nodes.succeeded, "\(nodes)")
            _ = try await cluster.kubectl("delete", "--filename", rights, "--wait=false")
        }
    }

    @Test func `an agent that no policy holds back is not started, and what to do is said`() async throws {
        try await withProject("keep-running: false\n") { scenario in
            let finished = try await scenario.so("session", "--prompt", "x")
            guard !finished.succeeded else { return }  // The cluster enforces policies.
            #expect(finished.errors.contains("reach its egress and nothing else"), "\(finished)")
            #expect(finished.errors.contains("egress: {deny-all: false}"), "\(finished)")
            #expect(try await scenario.must("session", "ls", "--quiet") == "")
        }
    }

    @Test func `a waiting pod of the pool is claimed on a cluster too`() async throws {
        try await withProject("egress: {deny-all: false}\n") { scenario in
            let waiting = try await scenario.must("workspace", "pool", "--size", "1")
            let finished = try await scenario.so("session", "--prompt", "from the pool")
            #expect(finished.succeeded && finished.output == "asked: from the pool\n", "\(finished)")
            #expect(finished.errors.contains("session \(waiting)"), "\(finished)")
            #expect(try await scenario.project.git("show", "so/\(waiting):work.txt") == "work")
        }
    }
}
