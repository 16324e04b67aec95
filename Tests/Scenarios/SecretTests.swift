import TestSupport
import Testing

@Suite(.pods) struct SecretTests {
    private let compose = """
        services:
          app:
            image: IMAGE
            command: ["sh", "-c", "echo started; exec sleep 100000"]
            stop_grace_period: 0s
            environment:
              URL: postgres://app:${PASSWORD}@db/app
          db:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            environment:
              PASSWORD: ${PASSWORD}
              ANSWER: ${ANSWER:-42}
          other:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
        """
    private let spec = "config:\n  PASSWORD: $generate:hex:16$\n"

    @Test func `a generated secret stays the same through start, stop, restart and create --update`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            try await sandbox.mustDeployment("start")
            let password = try await sandbox.value(of: "PASSWORD", in: "db")
            #expect(password.count == 32 && password.allSatisfy(\.isHexDigit))
            #expect(try await sandbox.value(of: "URL", in: "app") == "postgres://app:\(password)@db/app")
            #expect(try await sandbox.inside("other", "sh", "-c", "env | grep -c \(password) || true") == "0")

            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.value(of: "PASSWORD", in: "db") == password, "after a second start")
            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.value(of: "PASSWORD", in: "db") == password, "after stop and start")
            try sandbox.writeSpec(spec + "  ANSWER: '43'\n")
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.value(of: "ANSWER", in: "db") == "43")
            #expect(try await sandbox.value(of: "PASSWORD", in: "db") == password, "after create --update")
            try await sandbox.mustDeployment("restart")
            #expect(try await sandbox.value(of: "PASSWORD", in: "db") == password, "after restart")
            try await sandbox.mustDeployment("stop")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.value(of: "URL", in: "app") == "postgres://app:\(password)@db/app")
        }
    }

    @Test func `secrets are imported from standard input or a file, and none that exists is lost`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            try write("PASSWORD='of old'\n", to: sandbox.directory + "/values.env", mode: 0o600)
            try await sandbox.mustDeployment("secrets", "import", "--from-file", sandbox.directory + "/values.env")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.value(of: "PASSWORD", in: "db") == "of old")
            let refused = try await sandbox.deployment("secrets", "import", "PASSWORD", input: "newer\n")
            #expect(refused.status == 77 && !refused.everything.contains("newer"), "\(refused)")
            let replaced = try await sandbox.mustDeployment(
                "secrets", "import", "--replace", "PASSWORD", input: "newer\n")
            #expect(!replaced.everything.contains("newer"), "\(replaced)")
            #expect(try await sandbox.value(of: "PASSWORD", in: "db") == "newer", "what uses it was restarted")
            let unknown = try await sandbox.deployment("secrets", "import", "PASWORD", input: "x\n")
            #expect(unknown.status == 66 && unknown.errors.contains("PASSWORD"), "\(unknown)")
        }
    }

    @Test(.podmanOnly) func `a secret is in no file but the one of mode 0600, in no argument list and in no output`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec)
            // The value is known only after the first start has made it; argument lists are kept and searched then.
            var seen: Set<String> = []
            try await sandbox.mustDeployment("start")
            try await sandbox.mustDeployment("stop")
            let secrets = sandbox.deployment + "/.state/generated-secrets.yml"
            #expect(try mode(secrets) == 0o600)
            let started = try await sandbox.so(["--debug", "deployment", "--dir", sandbox.deployment, "start"]) {
                running in
                while running.isAlive {
                    seen.formUnion(commandLines())
                    await Task.yield()
                }
            }
            try #require(started.succeeded, "\(started)")
            let password = try await sandbox.value(of: "PASSWORD", in: "db")
            #expect(!seen.isEmpty && seen.filter { $0.contains(password) } == [], "in an argument list")
            #expect(!started.everything.contains(password), "in what start says, with --debug too")

            #expect(
                try files(below: sandbox.directory, holding: password) == ["deployment/.state/generated-secrets.yml"])
            let commands = [
                ["ps"], ["status"], ["logs"], ["plan"], ["config"], ["config", "--explain"], ["secrets", "list"],
                ["ps", "-o", "json"],
                ["status", "-o", "json"], ["plan", "-o", "json"], ["config", "-o", "json"],
                ["secrets", "list", "-o", "json"],
            ]
            for arguments in commands {
                let said = try await sandbox.so(["--debug", "deployment", "--dir", sandbox.deployment] + arguments)
                #expect(said.succeeded, "\(said)")
                #expect(!said.everything.contains(password), "in what `\(arguments.joined(separator: " "))` says")
            }
            for format in ["yaml", "json"] {
                let rendered = try await sandbox.must("render", "--dir", sandbox.deployment, "-o", format)
                #expect(rendered.output.contains("Deployment") && !rendered.everything.contains(password))
            }
            let all = try await Podman.lines("ps", "--all", "--no-trunc", "--format", "json")
            #expect(!all.joined().contains(password), "in podman ps")
        }
    }

    @Test func `secrets rotate changes one secret and rolls only what uses it`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(compose, spec: spec + "  ANSWER: $generate:alnum:12$\n")
            try await sandbox.mustDeployment("start")
            let password = try await sandbox.value(of: "PASSWORD", in: "db")
            let answer = try await sandbox.value(of: "ANSWER", in: "db")
            let (app, other) = (try await sandbox.containers("app"), try await sandbox.containers("other"))
            let listed = try await sandbox.mustDeployment("secrets", "list").output
            #expect(listed.contains("PASSWORD") && listed.contains("ANSWER"), "\(listed)")

            try await sandbox.mustDeployment("secrets", "rotate", "PASSWORD")
            try await sandbox.mustDeployment("start")
            let rotated = try await sandbox.value(of: "PASSWORD", in: "db")
            #expect(rotated != password && rotated.count == 32)
            #expect(try await sandbox.value(of: "URL", in: "app").contains(rotated))
            #expect(try await sandbox.value(of: "ANSWER", in: "db") == answer)
            #expect(try await sandbox.containers("app") != app)
            #expect(try await sandbox.containers("other") == other)
        }
    }

    @Test func `a compose secret is a file of the given name inside the container, and of nobody else`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  app:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    secrets:
                      - certificate
                      - source: certificate
                        target: /etc/tls/key.pem
                        mode: 0400
                  other:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                secrets:
                  certificate:
                    file: ../config/STACK/certificate.pem
                """, config: ["certificate.pem": "-----BEGIN\nsecret\n"])
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "cat", "/run/secrets/certificate") == "-----BEGIN\nsecret")
            #expect(try await sandbox.inside("app", "stat", "-c", "%a", "/etc/tls/key.pem") == "400")
            #expect(try await sandbox.inside("other", "sh", "-c", "ls /run/secrets 2>/dev/null | wc -l") == "0")
        }
    }
}
