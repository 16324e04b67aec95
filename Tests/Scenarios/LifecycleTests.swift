import TestSupport
import Testing

/// A web server that says what it is given; it is ready when it does.
private func web(_ name: String, _ text: String, _ more: String = "") -> String {
    """
      \(name):
        image: IMAGE
        command: ["sh", "-c", "mkdir -p /tmp/www; echo \(text) >/tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www"]
        stop_grace_period: 0s
        healthcheck:
          test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:8080/"]
          interval: 100ms
          retries: 100
    \(more)
    """
}

@Suite(.pods) struct LifecycleTests {
    @Test func `a service waits for the health of the one it depends on, and finds it by name and alias`() async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  app:
                    image: IMAGE
                    # Fails at once, and so fails the start, unless the database is healthy by now.
                    command: ["sh", "-c", "wget -q -O - http://db:8080/ && wget -q -O - http://database:8080/ && exec sleep 100000"]
                    stop_grace_period: 0s
                    depends_on:
                      db:
                        condition: service_healthy
                  db:
                    image: IMAGE
                    command: ["sh", "-c", "sleep 1; mkdir /tmp/www; echo data >/tmp/www/index.html; exec httpd -f -p 8080 -h /tmp/www"]
                    stop_grace_period: 0s
                    networks:
                      default:
                        aliases: [database]
                    healthcheck:
                      test: wget -q -O /dev/null http://127.0.0.1:8080/
                      interval: 200ms
                      retries: 50
                """)
            try await sandbox.mustDeployment("start")
            let logs = try await sandbox.mustDeployment("logs", "app").output
            #expect(logs.contains("data"), "\(logs)")
            let status = try await sandbox.mustDeployment("status").output
            #expect(status.contains("app") && status.contains("db"), "\(status)")
        }
    }

    @Test func `a one-shot service completes before the service that waits for it starts`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  migrate:
                    image: IMAGE
                    command: ["sh", "-c", "sleep 1; echo done >/data/migrated"]
                    restart: "no"
                    volumes: ["data:/data"]
                  app:
                    image: IMAGE
                    command: ["sh", "-c", "cat /data/migrated && exec sleep 100000"]
                    stop_grace_period: 0s
                    volumes: ["data:/data"]
                    depends_on:
                      migrate:
                        condition: service_completed_successfully
                volumes:
                  data:
                """)
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("logs", "app").output.contains("done"))
        }
    }

    @Test
    func
        `a job of the stack runs once after the pods, again on run-job, and its failure is the deployment's`()
        async throws
    {
        try await withSandbox { sandbox in
            let job = { (code: Int) in
                """
                services:
                  seed:
                    image: IMAGE
                    command: ["sh", "-c", "until wget -q -O - http://web:8080/; do sleep 0.1; done; echo seeded $$SUBJECT; exit \(code)"]
                    environment:
                      SUBJECT: ${SUBJECT:-nothing}
                    restart: "no"
                """
            }
            let services = "services:\n" + web("web", "hello")
            try await sandbox.create(services, spec: "config:\n  SUBJECT: apples\n", jobs: ["seed": job(0)])
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("logs", "seed").output.contains("seeded apples"))
            try await sandbox.mustDeployment("run-job", "seed")
            let logs = try await sandbox.mustDeployment("logs", "seed").output
            #expect(logs.contains("seeded apples"), "\(logs)")

            try sandbox.writeStack(services, jobs: ["seed": job(9)])
            try await sandbox.update()
            try await sandbox.mustDeployment("stop", "--delete-volumes")
            let failed = try await sandbox.deployment("start")
            #expect(failed.status == 1, "\(failed)")
            #expect(failed.errors.contains("seed") && failed.errors.contains("9"), "\(failed)")
        }
    }

    @Test func `an init container ends before its siblings start`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  prepare:
                    image: IMAGE
                    command: ["sh", "-c", "sleep 0.5; echo prepared >/data/state"]
                    labels:
                      laconic.init-container: "true"
                    volumes: ["data:/data"]
                  app:
                    image: IMAGE
                    command: ["sh", "-c", "cat /data/state && exec sleep 100000"]
                    stop_grace_period: 0s
                    volumes: ["data:/data"]
                volumes:
                  data:
                """)
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.mustDeployment("logs", "app").output.contains("prepared"))
        }
    }

    @Test(.podmanOnly) func `published ports answer on the host, and port names them`() async throws {
        try await withSandbox { sandbox in
            let (first, second) = (try freePort(), try freePort())
            try await sandbox.create(
                "services:\n" + web("web", "hello", "    ports:\n      - \"127.0.0.1:\(first):8080\"\n"),
                spec: "network:\n  ports:\n    web:\n      - \"127.0.0.1:\(second):8080\"\n")
            try await sandbox.mustDeployment("start")
            #expect(
                try await sandbox.mustDeployment("port", "web", "8080").line == "127.0.0.1:\(second)",
                "the spec replaces them")
            #expect(try await get("http://127.0.0.1:\(second)/") == "hello\n")
            let absent = try await sandbox.deployment("port", "web", "9")
            #expect(!absent.succeeded && absent.errors.contains("9"), "\(absent)")
        }
    }

    @Test
    func `an unchanged second start changes nothing, a changed service alone is replaced, a dropped one is removed`()
        async throws
    {
        try await withSandbox { sandbox in
            let stack = { (text: String, third: Bool) in
                "services:\n" + web("first", text) + web("second", "b") + (third ? web("third", "c") : "")
            }
            try await sandbox.create(stack("a", true))
            try await sandbox.mustDeployment("start")
            let services = ["first", "second", "third"]
            var before: [String: Set<String>] = [:]
            for service in services { before[service] = try await sandbox.containers(service) }
            #expect(before.values.allSatisfy { $0.count == 1 }, "\(before)")

            let plan = try await sandbox.mustDeployment("plan")
            try await sandbox.mustDeployment("start")
            for service in services { #expect(try await sandbox.containers(service) == before[service], "\(plan)") }

            try sandbox.writeStack(stack("changed", false))
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.containers("first") != before["first"])
            #expect(try await sandbox.containers("second") == before["second"])
            #expect(try await sandbox.containers("third") == [])
            #expect(try await sandbox.inside("second", "wget", "-q", "-O", "-", "http://first:8080/") == "changed")
        }
    }

    @Test func `a changed configuration value replaces the service that uses it and no other`() async throws {
        try await withSandbox { sandbox in
            let services =
                "services:\n" + idle("app", "    environment:\n      VALUE: ${VALUE:-none}\n") + idle("other")
            try await sandbox.create(services, spec: "config:\n  VALUE: one\n")
            try await sandbox.mustDeployment("start")
            let other = try await sandbox.containers("other")
            try sandbox.writeSpec("config:\n  VALUE: two\n")
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.value(of: "VALUE", in: "app") == "two")
            #expect(try await sandbox.containers("other") == other)
        }
    }

    @Test func `replicas share a name and all of them run`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app", "    deploy:\n      replicas: 2\n"))
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.containers("app").count == 2)
        }
    }

    @Test
    func
        `two deployments of one stack live beside each other, and a namespace of another is refused with the line to add`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create("services:\n" + idle("app"))
            try await sandbox.mustDeployment("start")
            let before = try await sandbox.containers("app")
            let second = sandbox.directory + "/second"
            try await sandbox.must("deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", second)
            let refused = try await sandbox.so(["deployment", "--dir", second, "start"])
            #expect(refused.status == 77, "\(refused)")
            #expect(refused.errors.contains("namespace:"), "\(refused)")
            #expect(try await sandbox.containers("app") == before)

            try sandbox.writeSpec("namespace: second-\(sandbox.token)\n")
            try await sandbox.must(
                "deploy", "create", "--update", "--spec-file", sandbox.specFile, "--deployment-dir", second)
            let started = try await sandbox.so(["deployment", "--dir", second, "start"])
            #expect(started.succeeded, "\(started)")
            let stopped = try await sandbox.so([
                "deployment", "--dir", second, "stop", "--delete-volumes", "--delete-namespace",
            ])
            #expect(stopped.succeeded, "\(stopped)")
            #expect(try await sandbox.containers("app") == before, "stopping one leaves the other alone")
        }
    }

    @Test(.pods, .podmanOnly)
    func `what runs can be stopped though a file of the deployment has an error, and its data stays`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services: {app: {image: IMAGE, command: [sleep, '100000'], init: true, volumes: ['data:/data']}}\nvolumes: {data: }\n",
                spec: "volumes: {data: ./data/data}\n")
            try await sandbox.mustDeployment("start")
            let spec = try read(sandbox.deployment + "/spec.yml")
            try write("stack: [\n", to: sandbox.deployment + "/spec.yml")
            let refused = try await sandbox.deployment("stop", "--delete-volumes")
            #expect(refused.status == 65 && exists(sandbox.deployment + "/data/data"), "\(refused)")
            let stopped = try await sandbox.mustDeployment("stop")
            #expect(stopped.errors.contains("spec.yml:") && stopped.errors.contains("stopped"), "\(stopped)")
            #expect(try await Podman.named(sandbox.token).isEmpty)
            #expect(exists(sandbox.deployment + "/data/data"))
            try write(spec, to: sandbox.deployment + "/spec.yml")
        }
    }
}
