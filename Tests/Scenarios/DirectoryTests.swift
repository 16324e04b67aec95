import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// `deploy init` and `deploy create`: nothing runs, so none of these needs podman to run a container.
@Suite struct DirectoryTests {
    private let compose = """
        services:
          app:
            image: IMAGE
            command: ["sleep", "100000"]
            environment:
              VALUE: ${VALUE:-default}
            ports: ["8080", "9090/udp"]
            volumes:
              - data:/data
              - ../config/STACK/app.conf:/etc/app.conf:ro
        volumes:
          data:
        """

    @Test func `init writes a spec with the stack's ports, volumes and the given config, which create takes as it is`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack(compose, config: ["app.conf": "x\n"])
            try await sandbox.must(
                "--stack", sandbox.stackDirectory, "deploy", "init", "--deploy-to", "podman", "--config", "VALUE=a=b,c",
                "--config", "ONE=1,TWO=2", "--map-ports-to-host", "localhost-fixed-random", "--output", sandbox.specFile
            )
            let spec = try read(sandbox.specFile)
            for part in [
                "deploy-to: podman", "VALUE: a=b,c", "ONE:", "TWO:", "data:", "127.0.0.1:", ":8080", ":9090/udp",
            ] {
                #expect(spec.contains(part), "\(part) in \(spec)")
            }
            try await sandbox.must(
                "--stack", sandbox.stackDirectory, "deploy", "init", "--deploy-to", "podman", "--output",
                sandbox.specFile)
            #expect(try read(sandbox.specFile + ".bak") == spec, "the spec that was there is kept")
            try write(spec.replacing("ONE", with: "VALUE_ONE"), to: sandbox.directory + "/edited.yml")
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
        }
    }

    @Test func `the values of a .env beside the compose file are still there after the stack is gone`() async throws {
        try await withPodlessSandbox { sandbox in
            try sandbox.writeStack("services: {app: {image: '${FROM_DOT_ENV}'}}\n")
            try write("FROM_DOT_ENV=registry.example.com/app:7\n", to: sandbox.directory + "/repo/compose/.env")
            try sandbox.writeSpec()
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            try FileManager.default.removeItem(atPath: sandbox.directory + "/repo")
            let rendered = try await sandbox.must("render", "--dir", sandbox.deployment).output
            #expect(rendered.contains("image: registry.example.com/app:7"), "\(rendered)")
        }
    }

    @Test func `create makes a self-sufficient directory, and renders the same after the stack is gone`() async throws {
        try await withPodlessSandbox { sandbox in
            try await sandbox.create(compose, config: ["app.conf": "x\n", "deep/er/file": "y\n"])
            let made = try files(below: sandbox.deployment)
            for file in ["deployment.yml", "spec.yml", "stack.yml", "config.env"] {
                #expect(made.contains(file), "\(made)")
            }
            #expect(
                made.contains { $0.hasPrefix("compose/") } && made.contains("config/\(sandbox.stack)/deep/er/file"),
                "\(made)")
            let before = try await sandbox.must("render", "--dir", sandbox.deployment).output
            removeTree(sandbox.directory + "/repo")
            #expect(try await sandbox.must("render", "--dir", sandbox.deployment).output == before)
        }
    }

    @Test func `create refuses a directory that exists, and --update one that does not`() async throws {
        try await withPodlessSandbox { sandbox in
            try await sandbox.create(compose, config: ["app.conf": "x\n"])
            let identity = try read(sandbox.deployment + "/deployment.yml")
            let arguments = ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir"]
            let refused = try await sandbox.so(arguments + [sandbox.deployment])
            #expect(refused.status == 73 && refused.errors.contains("--update"), "\(refused)")
            let absent = try await sandbox.so(arguments + [sandbox.directory + "/nowhere", "--update"])
            #expect(absent.status == 66, "\(absent)")
            #expect(!exists(sandbox.directory + "/nowhere"))
            #expect(try read(sandbox.deployment + "/deployment.yml") == identity)
        }
    }

    @Test func `--update keeps identity, data and edited files as .bak, and removes what the stack dropped`()
        async throws
    {
        try await withPodlessSandbox { sandbox in
            try await sandbox.create(compose, config: ["app.conf": "x\n", "dropped.conf": "y\n"])
            let identity = try read(sandbox.deployment + "/deployment.yml")
            let file = sandbox.deployment + "/config/\(sandbox.stack)/app.conf"
            try write("edited by the operator\n", to: file)
            try write("kept\n", to: sandbox.deployment + "/data/data/file")
            removeTree(sandbox.directory + "/repo")
            try sandbox.writeStack(compose, config: ["app.conf": "new\n"])
            try await sandbox.update()
            #expect(try read(sandbox.deployment + "/deployment.yml") == identity)
            #expect(try read(sandbox.deployment + "/data/data/file") == "kept\n")
            #expect(try read(file) == "new\n")
            #expect(try read(file + ".bak") == "edited by the operator\n")
            #expect(!exists(sandbox.deployment + "/config/\(sandbox.stack)/dropped.conf"))
        }
    }

    @Test func `kill -9 during create leaves nothing or all of it, and the next create works`() async throws {
        try await withPodlessSandbox { sandbox in
            let many = Dictionary(uniqueKeysWithValues: (0..<200).map { ("many/\($0).conf", "\($0)\n") })
            try sandbox.writeStack(compose, config: many.merging(["app.conf": "x\n"]) { $1 })
            try sandbox.writeSpec()
            let arguments = [
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment,
            ]
            var generator = SeededGenerator.ofTest()
            for _ in 0..<12 {
                let pause = Int.random(in: 0...40_000, using: &generator)
                let killed = try await sandbox.so(arguments) { running in
                    // A moment anywhere in its life, start-up included.
                    try await Task.sleep(for: .microseconds(pause))
                    running.killNow()
                }
                if exists(sandbox.deployment) {
                    let rendered = try await sandbox.so(["render", "--dir", sandbox.deployment])
                    #expect(rendered.succeeded, "\(killed) left a part: \(rendered)")
                    removeTree(sandbox.deployment)
                }
            }
            let created = try await sandbox.so(arguments)
            #expect(created.succeeded, "\(created)")
            let beside = try FileManager.default.contentsOfDirectory(atPath: sandbox.directory).sorted()
            #expect(
                beside == ["deployment", "home", "repo", "spec.yml", "tmp"],
                "what the killed ones left aside is gone too")
        }
    }

    @Test func `a full disk in create is told, and leaves nothing`() async throws {
        try await withPodlessSandbox { sandbox in
            let small = sandbox.directory + "/small"
            try FileManager.default.createDirectory(atPath: small, withIntermediateDirectories: false)
            let mounted = try await run(
                "mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", small], environment: Podman.environment)
            try await onFullDisk(sandbox, small, mounted)
            _ = try await run("umount", [small], environment: Podman.environment)
        }
    }

    private func onFullDisk(_ sandbox: Sandbox, _ small: String, _ mounted: Finished) async throws {
        guard mounted.succeeded else {
            try Test.cancel("cannot mount a small disk here: \(mounted.errors.trimmingCharacters())")
        }
        let big = String(repeating: "0123456789abcdef", count: 16_384)
        try sandbox.writeStack(compose, config: ["app.conf": "x\n", "big.txt": big])
        try sandbox.writeSpec()
        let create = ["deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", small + "/deployment"]
        let full = try await sandbox.so(create)
        #expect(full.status == 73, "\(full)")
        #expect(full.errors.contains("space"), "\(full)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: small) == [])

        // An update of a deployment on it fails the same way, and leaves the deployment as it was.
        try sandbox.writeStack(compose, config: ["app.conf": "x\n", "big.txt": "small\n"])
        try await sandbox.must(
            "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", small + "/deployment")
        let before = try files(below: small) + ["deployment/.state/lock"]
        try sandbox.writeStack(compose, config: ["app.conf": "changed\n", "big.txt": big])
        let update = try await sandbox.so(create + ["--update"])
        #expect(update.status == 73, "\(update)")
        #expect(try files(below: small) == before.sorted())
        #expect(try read(small + "/deployment/config/\(sandbox.stack)/app.conf") == "x\n")
    }
}
