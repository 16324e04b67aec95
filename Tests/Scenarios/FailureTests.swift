import TestSupport
import Testing

/// A start that cannot succeed ends as soon as that is certain, and says which service, why, and the last lines of its log.
@Suite(.pods) struct FailureTests {
    @Test func `an image that cannot be had is named with its service`() async throws {
        try await withSandbox { sandbox in
            let image = "localhost/absent-\(sandbox.token):1"
            try await sandbox.create(
                "services:\n" + idle("good") + "  broken:\n    image: \(image)\n    command: [\"true\"]\n")
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            #expect(failed.errors.contains("broken") && failed.errors.contains(image), "\(failed)")
        }
    }

    @Test func `a command that exits is told with its exit code and its last log lines`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  broken:
                    image: IMAGE
                    command: ["sh", "-c", "echo cannot find the thing; exit 3"]
                """ + "\n" + idle("good"))
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            for part in ["broken", "3", "cannot find the thing"] {
                #expect(failed.errors.contains(part), "\(part): \(failed)")
            }
        }
    }

    @Test func `a command that does not exist in the image is told`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n  broken:\n    image: IMAGE\n    command: [\"no-such-program\"]\n")
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            #expect(failed.errors.contains("broken") && failed.errors.contains("no-such-program"), "\(failed)")
        }
    }

    @Test func `a health check that never passes is told with what it said`() async throws {
        try await withSandbox { sandbox in
            let check = """
                    healthcheck:
                      test: ["CMD-SHELL", "echo the lamp is dark; exit 1"]
                      interval: 200ms
                      retries: 3

                """
            try await sandbox.create("services:\n" + idle("broken", check))
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            for part in ["broken", "health", "the lamp is dark"] {
                #expect(failed.errors.contains(part), "\(part): \(failed)")
            }
        }
    }

    @Test func `what waits for a broken service is not started, and the broken one is the one to blame`() async throws {
        try await withSandbox { sandbox in
            let waits = "    depends_on:\n      broken:\n        condition: service_completed_successfully\n"
            try await sandbox.create(
                "services:\n" + idle("waiting", waits)
                    + "  broken:\n    image: IMAGE\n    command: [\"sh\", \"-c\", \"echo migration failed; exit 4\"]\n    restart: \"no\"\n"
            )
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            for part in ["broken", "4", "migration failed"] {
                #expect(failed.errors.contains(part), "\(part): \(failed)")
            }
            #expect(try await sandbox.containers("waiting") == [])
        }
    }

    @Test func `a secret that must pre-exist and does not is named before anything starts`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"), spec: "secrets:\n  absent-secret: [KEY]\n")
            let failed = try await sandbox.deployment("start")
            #expect(!failed.succeeded && failed.status > 0, "\(failed)")
            #expect(failed.errors.contains("absent-secret"), "\(failed)")
            #expect(try await sandbox.containers("app") == [])
        }
    }

    @Test(.podmanOnly) func `a host port that somebody holds is named with its service`() async throws {
        try await withSandbox { sandbox in
            let port = try freePort()
            let serve = ["httpd", "-f", "-p", "127.0.0.1:\(port)", "-h", sandbox.directory + "/home"]
            try await sandbox.create("services:\n" + idle("app", "    ports:\n      - \"127.0.0.1:\(port):80\"\n"))
            _ = try await run("busybox", serve, environment: Podman.environment) { holder in
                try await eventually("the port is held") { try await isHeld(port) }
                let failed = try await sandbox.deployment("start")
                #expect(failed.status == 1, "\(failed)")
                #expect(failed.errors.contains("app") && failed.errors.contains("\(port)"), "\(failed)")
                holder.killNow()
            }
            // Once it is free, the same command goes on.
            try await sandbox.mustDeployment("start")
        }
    }

    @Test func `the next start after the hint succeeds, and what was running stayed`() async throws {
        try await withSandbox { sandbox in
            let broken = { (code: String) in
                "services:\n" + idle("good")
                    + "  app:\n    image: IMAGE\n    command: [\"sh\", \"-c\", \"\(code)\"]\n    stop_grace_period: 0s\n"
            }
            try await sandbox.create(broken("exit 3"))
            #expect(try await sandbox.deployment("start").status == 1)
            try sandbox.writeStack(broken("exec sleep 100000"))
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.containers("app").count == 1)
            #expect(try await sandbox.containers("good").count == 1)
        }
    }

    @Test(.podmanOnly) func `without podman, start says that it is missing and how to get it`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            let failed = try await sandbox.so(
                ["deployment", "--dir", sandbox.deployment, "start"], environment: ["PATH": sandbox.directory])
            #expect(failed.status == 69, "\(failed)")
            #expect(failed.errors.contains("podman"), "\(failed)")
        }
    }
}
