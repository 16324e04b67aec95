import TestSupport
import Testing

@Suite(.pods) struct DryRunTests {
    @Test func `--dry-run of any verb leaves files and pods as they are`() async throws {
        try await withSandbox { sandbox in
            let compose =
                "services:\n" + idle("app", "    environment: [\"PASSWORD\"]\n    volumes: [\"kept:/kept\"]\n")
                + "volumes:\n  kept:\n"
            try await sandbox.create(
                compose, spec: "config:\n  PASSWORD: $generate:hex:16$\nvolumes:\n  kept: ./data/kept\n")
            for verb in [["stop"], ["start"], ["restart"], ["secrets", "rotate", "PASSWORD"]] {
                let before = try await sandbox.files()
                let dry = try await sandbox.so(["deployment", "--dry-run", "--dir", sandbox.deployment] + verb)
                #expect(dry.succeeded, "\(dry)")
                #expect(try await sandbox.files() == before, "\(verb)")
                #expect(try await Podman.named(sandbox.token) == [], "\(verb)")
            }
            try await sandbox.mustDeployment("start")
            let (files, containers) = try await (sandbox.files(), sandbox.containers("app"))
            let verbs = [
                ["stop", "--delete-volumes"], ["restart"], ["secrets", "rotate", "PASSWORD"],
                ["exec", "app", "touch", "/kept/x"],
            ]
            for verb in verbs {
                let dry = try await sandbox.so(["deployment", "--dry-run", "--dir", sandbox.deployment] + verb)
                #expect(dry.succeeded && !dry.output.isEmpty, "\(dry)")
                #expect(try await sandbox.files() == files, "\(verb)")
                #expect(try await sandbox.containers("app") == containers, "\(verb)")
            }
            try sandbox.writeSpec("config:\n  PASSWORD: $generate:hex:16$\n  OTHER: 1\n")
            let update = try await sandbox.so(
                [
                    "deploy", "create", "--update", "--dry-run", "--spec-file", sandbox.specFile, "--deployment-dir",
                    sandbox.deployment,
                ])
            #expect(update.output.hasPrefix("spec.yml\n"), "\(update)")
            #expect(try await sandbox.files() == files)
        }
    }
}

extension DryRunTests {
    @Test func `start --dry-run lists what the start of these services does, and a wrong name is an error`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services:\n" + idle("base") + idle("store", "    depends_on: [base]\n") + idle("page"))
            let dry = try await sandbox.so(
                ["deployment", "--dry-run", "--dir", sandbox.deployment, "start", "store"])
            #expect(dry.output.contains("store") && dry.output.contains("base"), "\(dry)")
            #expect(!dry.output.contains("page"), "\(dry)")
            for services in [["nosuch"], ["stor", "page"]] {
                let wrong = try await sandbox.so(["deployment", "--dir", sandbox.deployment, "start"] + services)
                #expect(wrong.status == 66 && wrong.errors.contains("no service named \(services[0])"), "\(wrong)")
            }
            let near = try await sandbox.so(["deployment", "--dir", sandbox.deployment, "start", "stor", "page"])
            #expect(near.errors.contains("hint: did you mean store?"), "\(near)")
            #expect(try await Podman.named(sandbox.token) == [])
        }
    }
}

extension DryRunTests {
    /// What a preview says of each service.
    private func actions(_ sandbox: Sandbox, _ verb: [String]) async throws -> [String: String] {
        let dry = try await sandbox.so(["deployment", "--dry-run", "--dir", sandbox.deployment] + verb)
        #expect(dry.succeeded, "\(dry)")
        var actions: [String: String] = [:]
        for line in dry.output.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            for service in ["app", "other"] where words.count > 2 && words[2].hasSuffix(service) {
                actions[service] = words[0]
            }
        }
        return actions
    }

    @Test(.podmanOnly)
    func `the preview of a restart, a forced update and another image shows the pods that are replaced`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app") + idle("other"))
            try await sandbox.mustDeployment("start")
            #expect(try await actions(sandbox, ["update", "--no-pull"]) == ["app": "keep", "other": "keep"])
            for verb in [["restart", "--no-pull"], ["update", "--no-pull", "--force"]] {
                #expect(try await actions(sandbox, verb) == ["app": "replace", "other": "replace"], "\(verb)")
            }
            let files = try await sandbox.files()
            let image = ["update", "--no-pull", "--image", "app=localhost/other/image:1"]
            #expect(try await actions(sandbox, image) == ["app": "replace", "other": "keep"])
            #expect(try await sandbox.files() == files)
            let wrong = try await sandbox.so([
                "deployment", "--dry-run", "--dir", sandbox.deployment, "update", "--no-pull", "--image", "nosuch=x",
            ])
            #expect(wrong.errors.contains("no service nosuch"), "\(wrong)")
        }
    }
}

extension Sandbox {
    /// Every path of the deployment directory with its time of change.
    fileprivate func files() async throws -> String {
        try await run("find", [deployment, "-printf", "%p %T@ %s\\n"], environment: Podman.environment).output
    }
}
