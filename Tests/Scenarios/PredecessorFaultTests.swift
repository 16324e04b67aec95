import FoundationEssentials
import TestSupport
import Testing

/// Faults of the predecessor, by their number in its inventory, that show without a running pod: here each is done right.
@Suite struct PredecessorFaultTests {
    /// What `so render` makes of a stack and a spec.
    private func rendered(
        _ sandbox: Sandbox, _ compose: String, spec: String = "", config: [String: String] = [:]
    ) async throws -> String {
        try await sandbox.create(compose, spec: spec, config: config)
        return try await sandbox.must("render", "--dir", sandbox.deployment).output
    }

    @Test(.podmanOnly)
    func `an update leaves live data alone, though config has a directory of the volume's name`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(
                "services: {app: {image: IMAGE, volumes: ['app-data:/data']}}\nvolumes: {app-data: }\n")
            try write("seed\n", to: sandbox.directory + "/repo/config/app-data/state")
            try sandbox.writeSpec("volumes: {app-data: ./data/app-data}\n")
            let create = ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment]
            try #require(await sandbox.so(create).succeeded)
            let state = sandbox.deployment + "/data/app-data/state"
            #expect(try read(state) == "seed\n", "the first create fills the volume")
            try write("live\n", to: state)
            try write("seed 2\n", to: sandbox.directory + "/repo/config/app-data/state")
            try #require(await sandbox.so(create + ["--update"]).succeeded)
            #expect(try read(state) == "live\n")
        }
    }

    @Test func `no value is rewritten because it contains a service's name`() async throws {
        try await withPodlessSandbox { sandbox in
            let text = try await rendered(
                sandbox,
                """
                services:
                  db: {image: IMAGE}
                  app:
                    image: IMAGE
                    environment: {DIR: /var/lib/db, HOST: my-db.example.com, URL: "postgres://db:5432/db"}
                """)
            for value in ["value: /var/lib/db", "value: my-db.example.com", "value: postgres://db:5432/db"] {
                #expect(text.contains(value), "\(value) in \(text)")
            }
            #expect(!text.contains("lib/localhost") && !text.contains("my-localhost"), "\(text)")
        }
    }

    @Test
    func `interpolation is whole, and a required variable that is missing is an error with its message`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            let text = try await rendered(
                sandbox,
                "services: {app: {image: IMAGE, environment: {A: 'x-${V}-${W:-d}-$$z', B: '${M:?must be set}'}}}\n",
                spec: "config: {V: v, M: given}\n")
            #expect(text.contains("x-v-d-$z") && text.contains("value: given"), "\(text)")
            try sandbox.writeSpec("config: {V: v}\n")
            let refused = try await sandbox.so([
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.directory + "/other",
            ])
            #expect(refused.status == 65 && refused.errors.contains("must be set"), "\(refused)")
            #expect(!exists(sandbox.directory + "/other"))
        }
    }

    @Test func `what the operator says with --config wins over what the stack's hook suggests`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack("services: {app: {image: IMAGE, environment: {V: '${V}'}}}\n")
            try write(
                "#!/bin/sh\necho 'config: {V: of the hook}'\n", to: sandbox.stackDirectory + "/hooks/init", mode: 0o755)
            try await sandbox.must(
                "deploy", "init", "--deploy-to", "podman", "--stack", sandbox.stackDirectory, "--config",
                "V=of the operator", "--output",
                sandbox.specFile)
            let spec = try read(sandbox.specFile)
            #expect(spec.contains("V: of the operator") && !spec.contains("of the hook"), "\(spec)")
        }
    }

    @Test(arguments: [
        "localhost-same", "any-same", "localhost-fixed-random", "any-fixed-random", "any-variable-random",
    ])
    func `faults 22 and 25: what each port recipe writes is taken, and no port is given twice`(_ recipe: String)
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(
                """
                services:
                  one: {image: IMAGE, ports: ["20080:80", "81"]}
                  two: {image: IMAGE, ports: ["20080:80", "53/udp"]}
                """.replacing(
                    "20080:80\", \"53", with: recipe == "any-variable-random" ? "20081:80\", \"53" : "20080:80\", \"53")
            )
            try await sandbox.must(
                "deploy", "init", "--deploy-to", "podman", "--stack", sandbox.stackDirectory, "--map-ports-to-host",
                recipe, "--output",
                sandbox.specFile)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            let text = try await sandbox.must("render", "--dir", sandbox.deployment).output
            let ports = text.split(separator: "\n").filter { $0.contains("hostPort:") }.map(String.init)
            #expect(Set(ports).count == ports.count, "\(ports)")
        }
    }

    @Test func `the host's network is for the service that asks for it, and for no other`() async throws {
        try await withPodlessSandbox { sandbox in
            let text = try await rendered(
                sandbox, "services: {a: {image: IMAGE, network_mode: host}, b: {image: IMAGE}}\n")
            #expect(text.components(separatedBy: "hostNetwork: true").count == 2, "\(text)")
        }
    }

    @Test func `config.env keeps empty values and quotes those that need it`() async throws {
        try await withPodlessSandbox { sandbox in
            _ = try await rendered(
                sandbox, "services: {app: {image: IMAGE, environment: [EMPTY, SPACED]}}\n",
                spec: "config: {EMPTY: '', SPACED: \"a b $HOME 'c'\"}\n")
            let shell = try await run(
                "/bin/sh", ["-c", ". ./config.env; printf '%s|%s' \"$EMPTY\" \"$SPACED\""],
                environment: sandbox.environment, directory: sandbox.deployment)
            #expect(shell.output == "|a b $HOME 'c'", "\(shell)")
        }
    }

    @Test func `a local directory of a built-in stack's name does not shadow it`() async throws {
        try await withPodlessSandbox { sandbox in
            try write("pods: []\ndescription: not this one\n", to: sandbox.directory + "/demo/stack.yml")
            try await sandbox.must(
                "deploy", "init", "--deploy-to", "podman", "--stack", "demo", "--output", sandbox.specFile)
            #expect(try read(sandbox.specFile).contains("DEMO_TOKEN"))
        }
    }

    @Test
    func
        `quantities keep their unit, null sections are empty, unknown keys are errors with the nearest name`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            let text = try await rendered(
                sandbox, "services: {app: {image: IMAGE, volumes: ['data:/data']}}\nvolumes: {data: }\n",
                spec:
                    "config:\nnetwork:\nsecrets:\nvolumes: {data: }\nresources: {volumes: {reservations: {storage: 5Gi}}}\n"
            )
            #expect(text.contains("storage: 5Gi"), "\(text)")
            try sandbox.writeSpec("replcas: 2\n")
            let refused = try await sandbox.so([
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.directory + "/other",
            ])
            #expect(refused.status == 65 && refused.errors.contains("did you mean 'replicas'?"), "\(refused)")
        }
    }

    @Test(.podmanOnly)
    func `a route to a service or port that is not there is an error before anything is made`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack("services: {web: {image: IMAGE, ports: ['80']}}\n")
            for target in ["wbe:80", "web:81"] {
                try sandbox.writeSpec(
                    "network: {http-proxy: [{host-name: a.example.com, routes: [{path: /, proxy-to: '\(target)'}]}]}\n")
                let refused = try await sandbox.so([
                    "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment,
                ])
                #expect(refused.status == 65 && refused.errors.contains("spec.yml:3:"), "\(refused)")
                #expect(!exists(sandbox.deployment))
            }
        }
    }
}
