import FoundationEssentials
import TestSupport
import Testing

/// What must not be read by others, or act on the terminal of who looks.
@Suite struct PrivacyTests {
    private let compose = "services:\n  app:\n    image: IMAGE\n    environment: {A: \"${A:-one}\"}\n"

    @Test(arguments: [0o600, 0o640, 0o644]) func `copies of a spec are read by nobody who may not read the spec`(
        mode: Int
    ) async throws {
        try await withPodlessSandbox { sandbox in
            let create = ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment]
            try sandbox.writeStack(compose)
            for value in ["1", "2", "3"] {
                try sandbox.writeSpec("config: {A: \"\(value)\"}\n")
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: sandbox.specFile)
                let made = try await sandbox.so(create + (value == "1" ? [] : ["--update"]))
                try #require(made.succeeded, "\(made)")
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.deployment)
            let copies = names.filter { $0.hasPrefix("spec.yml") || $0.hasPrefix("config.env") }
            #expect(Set(copies).isSuperset(of: ["spec.yml", "spec.yml.bak", "config.env", "config.env.bak"]))
            for name in copies {
                #expect(try TestSupport.mode("\(sandbox.deployment)/\(name)") & ~mode == 0, "\(name)")
            }
            #expect(try TestSupport.mode(sandbox.deployment + "/spec.yml") == mode)
        }
    }

    @Test func `a chart is read by nobody who may not read the spec`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(compose)
            try sandbox.writeSpec("config: {A: \"1\"}\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--helm-chart", "--spec-file", sandbox.specFile, "--deployment-dir",
                sandbox.deployment)
            let chart = sandbox.deployment + "/chart"
            let files = try FileManager.default.subpathsOfDirectory(atPath: chart).filter { $0.contains(".") }
            #expect(files.contains("Chart.yaml"))
            for file in files { #expect(try TestSupport.mode("\(chart)/\(file)") & 0o077 == 0, "\(file)") }
        }
    }

    @Test func `nothing of a stack acts on the terminal of who looks at it`() async throws {
        try await withPodlessSandbox { sandbox in
            let title = "\\e]0;owned\\a\\e[31m\\u009b2J"
            try sandbox.writeStack(
                """
                services:
                  app:
                    image: "IMAGE"
                    command: ["echo", "\(title)"]
                    environment: {A: "${A:-x}", B: "\(title)"}
                    labels: {note: "\(title)"}
                """)
            try sandbox.writeSpec("config: {A: \"\(title)\"}\nannotations: {a/b: \"\(title)\"}\n")
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            let base = sandbox.directory + "/base"
            try write("name: other\ndescription: \"\(title)\"\n", to: base + "/example.com/o/r/stacks/other/stack.yml")
            let named = ["--stack", sandbox.stackDirectory]
            let deployment = ["deployment", "--dir", sandbox.deployment]
            let commands = [
                ["list-stacks"], ["validate-stack", sandbox.stackDirectory], ["render"] + named,
                ["render", "--explain-mapping"] + named, ["config"] + named, ["config", "--format", "json"] + named,
                ["config", "--environment"] + named, ["setup-repositories", "--check-only"] + named,
                ["build-containers", "--dry-run"] + named, deployment + ["config"],
                deployment + ["config", "--explain"], deployment + ["config", "--explain", "-o", "json"],
                deployment + ["config", "-o", "yaml"], deployment + ["secrets", "list"],
                [
                    "deploy", "create", "--update", "--spec-file", sandbox.specFile, "--deployment-dir",
                    sandbox.deployment,
                ],
            ]
            for arguments in commands {
                let said = try await sandbox.so(arguments, environment: ["SO_REPO_BASE_DIR": base])
                if arguments == ["list-stacks"] { #expect(said.output.contains("owned"), "\(said)") }
                let controls = said.everything.unicodeScalars.filter {
                    $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
                }
                #expect(controls.isEmpty, "\(arguments): \(said)")
            }
        }
    }

    @Test func `every verb that reaches a cluster says that nothing verifies it, once`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(compose, jobs: ["task": compose])
            let port = try freePort()
            try write(
                """
                apiVersion: v1
                kind: Config
                current-context: c
                contexts: [{name: c, context: {cluster: c, user: u}}]
                clusters: [{name: c, cluster: {server: "https://127.0.0.1:\(port)", insecure-skip-tls-verify: true}}]
                users: [{name: u, user: {token: t}}]

                """, to: sandbox.directory + "/kubeconfig", mode: 0o600)
            try write(
                "stack: \(sandbox.stackDirectory)\ndeploy-to: k8s\nkube-config: \(sandbox.directory)/kubeconfig\n",
                to: sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            let verbs = [
                ["start"], ["start", "--dry-run"], ["plan"], ["ps"], ["status"], ["logs"], ["exec", "app", "true"],
                ["port", "app", "80"], ["restart"], ["restart", "app"], ["update"], ["update-envs"],
                ["run-job", "task"], ["cp", "app:/a", "b"], ["port-forward", "app", "8080:80"], ["secrets", "list"],
                ["secrets", "rotate", "A"], ["stop"], ["stop", "app"],
            ]
            for verb in verbs {
                let said = try await sandbox.so(["deployment", "--dir", sandbox.deployment] + verb)
                let warnings = said.errors.split(separator: "\n").filter { $0.contains("insecure-skip-tls-verify") }
                #expect(warnings.count == 1, "\(verb): \(said)")
            }
        }
    }
}
