import TestSupport
import Testing

@Suite(.pods) struct ConfigurationTests {
    private let compose = """
        services:
          app:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
            environment:
              FROM_COMPOSE: literal
              FROM_DEFAULT: ${FROM_DEFAULT:-default}
              FROM_SPEC: ${FROM_SPEC:-default}
              OVERRIDDEN: compose
              JOINED: "${FROM_SPEC:-x}-and-${FROM_DEFAULT:-y}"
              DOLLAR: "a$$b"
              EMPTY: ""
              BARE:
              FROM_CREDENTIALS: ${FROM_CREDENTIALS}
              FROM_HOST: ${FROM_HOST:-default}
            env_file:
              - ../config/STACK/app.env
          other:
            image: IMAGE
            command: ["sleep", "100000"]
            stop_grace_period: 0s
        """

    @Test func `every layer of configuration is seen inside the container, the later one winning`() async throws {
        try await withSandbox { sandbox in
            try write(
                "FROM_CREDENTIALS=from credentials\nOVERRIDDEN=credentials\n",
                to: sandbox.directory + "/credentials.env")
            try sandbox.writeStack(
                compose, config: ["app.env": "FROM_FILE=file\nFROM_COMPOSE=file loses\nQUOTED='two  words # kept'\n"])
            try sandbox.writeSpec(
                """
                config:
                  FROM_SPEC: spec
                  OVERRIDDEN: spec wins
                  BARE: given
                env-from-host: [FROM_HOST]
                credentials-files:
                  - \(sandbox.directory)/credentials.env

                """)
            let create = ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment]
            let host = ["FROM_HOST": "host", "FROM_DEFAULT": "the operator's shell is not read"]
            let created = try await sandbox.so(create, environment: host)
            try #require(created.succeeded, "\(created)")
            let started = try await sandbox.so(["deployment", "--dir", sandbox.deployment, "start"], environment: host)
            try #require(started.succeeded, "\(started)")

            let expected = [
                "FROM_COMPOSE": "literal", "FROM_DEFAULT": "default", "FROM_SPEC": "spec", "OVERRIDDEN": "spec wins",
                "JOINED": "spec-and-y", "DOLLAR": "a$b", "BARE": "given", "FROM_CREDENTIALS": "from credentials",
                "FROM_HOST": "host", "FROM_FILE": "file", "QUOTED": "two  words # kept",
            ]
            for (name, value) in expected.sorted(by: { $0.key < $1.key }) {
                #expect(try await sandbox.value(of: name, in: "app") == value, "\(name)")
            }
            #expect(try await sandbox.inside("app", "sh", "-c", "echo [${EMPTY-unset}]") == "[]")
            #expect(
                try await sandbox.inside("other", "sh", "-c", "env | grep -c FROM_ || true") == "0",
                "a variable reaches only services that declare or reference it")
        }
    }

    @Test(.podmanOnly) func `config --explain names the layer and the place of each value, and masks secrets`()
        async throws
    {
        try await withSandbox { sandbox in
            try await sandbox.create(
                """
                services:
                  app:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    environment:
                      A: ${A:-default}
                      B: ${B:-default}
                      URL: postgres://app:${PASSWORD}@db/app
                """, spec: "config:\n  B: spec\n  PASSWORD: $generate:alnum:20$\n")
            let explained = try await sandbox.mustDeployment("config", "--explain").output
            let lines = explained.split(separator: "\n").map(String.init)
            #expect(
                lines.contains { $0.contains("A") && $0.contains("default") && $0.contains(".yml:7") }, "\(explained)")
            #expect(lines.contains { $0.contains("B") && $0.contains("spec.yml:4") }, "\(explained)")
            #expect(lines.contains { $0.contains("URL") }, "\(explained)")
            try await sandbox.mustDeployment("start")
            let password = try await sandbox.inside("app", "sh", "-c", "echo ${URL#*app:} | cut -d@ -f1")
            #expect(password.count == 20)
            for arguments in [["config"], ["config", "--explain"], ["config", "-o", "json"]] {
                let shown = try await sandbox.so(["deployment", "--dir", sandbox.deployment] + arguments)
                #expect(shown.succeeded && !shown.everything.contains(password), "\(arguments)")
            }
        }
    }

    @Test
    func `a file of the stack's config is mounted read-only with its mode, and an edited one reaches the container`()
        async throws
    {
        try await withSandbox { sandbox in
            let compose = """
                services:
                  app:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    volumes:
                      - ../config/STACK/run.sh:/opt/run.sh:ro
                      - ../config/STACK/conf.d:/etc/conf.d:ro
                """
            let config = ["run.sh": "#!/bin/sh\necho first\n", "conf.d/a.conf": "a\n", "conf.d/b.conf": "b\n"]
            try await sandbox.create(compose, config: config)
            removeTree(sandbox.directory + "/repo")
            try await sandbox.mustDeployment("start")
            #expect(
                try await sandbox.inside("app", "/opt/run.sh") == "first", "executable, and the stack's folder is gone")
            #expect(try await sandbox.inside("app", "sh", "-c", "cat /etc/conf.d/*") == "a\nb")
            let refused = try await sandbox.deployment("exec", "app", "sh", "-c", "echo x >/opt/run.sh")
            #expect(!refused.succeeded, "it is read-only")

            try sandbox.writeStack(compose, config: config.merging(["run.sh": "#!/bin/sh\necho second\n"]) { $1 })
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "/opt/run.sh") == "second")
        }
    }
}
