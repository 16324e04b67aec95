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
            try await sandbox.must(
                "deploy", "init", "--deploy-to", "podman", "--stack", "stacks/fresh", "--output", sandbox.specFile)
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
            try await sandbox.must(
                "deploy", "init", "--deploy-to", "podman", "--stack", "stacks/fresh", "--output", sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            try FileManager.default.removeItem(atPath: sandbox.directory + "/app")
            let rendered = try await sandbox.must("render", "--dir", sandbox.deployment).output
            #expect(rendered.contains("image: nginx:1") && rendered.contains("mountPath: /etc/web.conf"), "\(rendered)")
        }
    }

    @Test func `every fault of a stack is told at once, in whatever file and stage it stands`() async throws {
        try await withPodlessSandbox { sandbox in
            let root = sandbox.directory + "/root"
            try write(
                """
                nmae: many
                pods:
                  - first
                  - second
                  - absent
                jobs:
                  - seed
                stacks:
                  - part

                """, to: root + "/stacks/many/stack.yml")
            try write("pods:\n  - third\ncontianers: []\n", to: root + "/stacks/part/stack.yml")
            try write("#!/bin/sh\n", to: root + "/stacks/many/hooks/start")
            try write(
                """
                services:
                  web:
                    image: [a, list]
                    volumes: ["gone:/data"]
                  api:
                    image: ${API_IMAGE}
                    ports: ["99999:80"]

                """, to: root + "/compose/docker-compose-first.yml")
            try write(
                "services:\n  store:\n    restart: no\n", to: root + "/compose/docker-compose-second.yml")
            try write(
                "services:\n  late:\n    image: x:1\n    depends_on: [nobody]\n",
                to: root + "/compose/docker-compose-third.yml")
            try write(
                "services:\n  seed:\n    iamge: x:1\n", to: root + "/compose-jobs/docker-compose-seed.yml")
            let finished = try await sandbox.so(["validate-stack", root + "/stacks/many"])
            #expect(finished.status == 65)
            let faults = [
                "stacks/many/stack.yml:1:1: error: the file: unknown key 'nmae'",
                "stacks/many/stack.yml:5:5: error: the pod 'absent' has no compose file",
                "stacks/part/stack.yml:3:1: error: the file: unknown key 'contianers'",
                "hooks/start is not executable",
                "docker-compose-first.yml:3:12: error:",
                "docker-compose-first.yml:4:",
                "docker-compose-first.yml:7:",
                "docker-compose-second.yml:2:",
                "docker-compose-third.yml:4:",
                "docker-compose-seed.yml:3:5: error:",
            ]
            for fault in faults { #expect(finished.errors.contains(fault), "\(fault) in \(finished.errors)") }
            #expect(finished.errors.hasSuffix("\n\(faults.count) errors\n"), "\(finished.errors)")
        }
    }

    @Test func `a stack is valid without the operator's values, which are listed`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(
                """
                services:
                  web:
                    image: ${PICTURE:?the image to run}
                    ports: ["${PORT}:80"]
                    environment:
                      GREETING: ${GREETING:-hello}
                      FLAGS: ${VERBOSE:+--verbose}
                    secrets: [key]
                secrets:
                  key: {environment: API_KEY}

                """)
            let finished = try await sandbox.must("validate-stack", sandbox.stackDirectory)
            let said = finished.errors
            #expect(said.contains("is valid\nthe operator has to give:\n  PICTURE   ("), "\(said)")
            #expect(said.contains("\n  API_KEY   ("), "\(said)")
            #expect(said.contains("may give, and they are empty else:\n  PORT   ("), "\(said)")
            for word in ["GREETING", "VERBOSE", "warning"] { #expect(!said.contains(word), "\(word) in \(said)") }
        }
    }

    @Test(arguments: ["demo", "orchestrator", "webapp-template"])
    func `the stacks that so comes with are valid`(_ stack: String) async throws {
        try await withPodlessSandbox { sandbox in
            let finished = try await sandbox.must("validate-stack", stack)
            #expect(!finished.errors.contains("warning"), "\(finished)")
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
