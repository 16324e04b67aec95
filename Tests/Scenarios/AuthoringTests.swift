import FoundationEssentials
import TestSupport
import Testing

/// What a stack author types.
@Suite struct AuthoringTests {
    @Test(arguments: ["web-app", "service", "database", "empty"])
    func `a new stack of each template is valid and goes to a deployment directory`(_ template: String) async throws {
        try await withPodlessSandbox { sandbox in
            try await sandbox.must("create-stack", "fresh", "--template", template)
            try await sandbox.must("validate-stack", "stacks/fresh")
            try await sandbox.must("deploy", "init", "--stack", "stacks/fresh", "--output", sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            let rendered = try await sandbox.must("render", "--dir", sandbox.deployment).output
            #expect(rendered.contains("kind: Deployment") == (template != "empty"))
        }
    }

    @Test
    func `a stack of a compose file keeps the file, its .env and its config where they are, in the deployment too`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try write(
                "services: {web: {image: '${IMAGE}', volumes: ['./web.conf:/etc/web.conf:ro']}}\n",
                to: sandbox.directory + "/app/compose.yaml")
            try write("IMAGE=nginx:1\n", to: sandbox.directory + "/app/.env")
            try write("x\n", to: sandbox.directory + "/app/web.conf")
            try await sandbox.must("create-stack", "fresh", "--from-compose", "app/compose.yaml")
            try await sandbox.must("deploy", "init", "--stack", "stacks/fresh", "--output", sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            try FileManager.default.removeItem(atPath: sandbox.directory + "/app")
            let rendered = try await sandbox.must("render", "--dir", sandbox.deployment).output
            #expect(rendered.contains("image: nginx:1") && rendered.contains("mountPath: /etc/web.conf"), "\(rendered)")
        }
    }

    @Test func `what is there already is never changed`() async throws {
        try await withPodlessSandbox { sandbox in
            try write("mine\n", to: sandbox.directory + "/compose/docker-compose-fresh.yml")
            let finished = try await sandbox.so(["create-stack", "fresh"])
            #expect(
                finished.status == 73 && finished.errors.contains("compose/docker-compose-fresh.yml"), "\(finished)")
            #expect(!exists(sandbox.directory + "/stacks"))
            let outside = try await sandbox.so(["create-stack", "../fresh"])
            #expect(outside.status == 65, "\(outside)")
        }
    }

    @Test func `a web app's deployment has its image, its variables and a route`() async throws {
        try await withPodlessSandbox { sandbox in
            try write("API=https://api.example.com\n", to: sandbox.directory + "/app.env")
            try await sandbox.must(
                "deploy-webapp", "create", "--deployment-dir", sandbox.deployment, "--image",
                "registry.example.com/app:1",
                "--url", "https://app.example.com/shop", "--env-file", "app.env")
            let rendered = try await sandbox.must("render", "--dir", sandbox.deployment).output
            for part in [
                "registry.example.com/app:1", "https://api.example.com", "host: app.example.com", "path: /shop",
            ] {
                #expect(rendered.contains(part), "\(part) in \(rendered)")
            }
            let bad = try await sandbox.so([
                "deploy-webapp", "create", "--deployment-dir", "other", "--image", "x", "--url", "app.example.com",
            ])
            #expect(bad.status == 64 && !exists(sandbox.directory + "/other"), "\(bad)")
        }
    }

    @Test func `the man page tells of every command`() async throws {
        try await withPodlessSandbox { sandbox in
            let page = try await sandbox.must("manual").output
            for verb in ["deploy init", "deployment start", "deployment secrets rotate", "fetch\\-stack", "doctor"] {
                #expect(page.contains(".SS so \(verb.replacing(" ", with: " "))"), "\(verb)")
            }
        }
    }
}
