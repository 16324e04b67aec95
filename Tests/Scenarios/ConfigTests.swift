import TestSupport
import Testing

@Suite struct ConfigTests {
    private let compose = """
        services:
          web:
            image: ${IMAGE_NAME:-nginx}:1
            ports: ["8080:80"]
            volumes: ["data:/data"]
            depends_on: [db]
            environment: {TOKEN: "${TOKEN}"}
          db: {image: db, profiles: [], healthcheck: {test: "true", interval: 90s}}
          extra: {image: extra, profiles: [extra]}
        volumes: {data: {}, unused: {}}

        """

    @Test func `so config prints the merged model as docker compose config does`() async throws {
        try await withPodlessSandbox { sandbox in
            try write(compose, to: sandbox.directory + "/app/compose.yaml")
            try write("TOKEN=pa$$word\n", to: sandbox.directory + "/app/.env")
            let file = "--file=\(sandbox.directory)/app/compose.yaml"
            let yaml = try await sandbox.must("config", file).output
            #expect(yaml.hasPrefix("name: app\nservices:\n  db:\n    healthcheck:\n"), "\(yaml)")
            #expect(
                yaml.contains("      interval: 1m30s\n") && yaml.contains("        published: \"8080\"\n"), "\(yaml)")
            #expect(yaml.contains("TOKEN: pa$$word\n"), "\(yaml)")
            #expect(!yaml.contains("unused") && !yaml.contains("extra"), "\(yaml)")
            let json = try await sandbox.must("config", file, "--format", "json").output
            #expect(json.hasPrefix("{\n  \"name\": \"app\",\n  \"networks\": {\n"), "\(json)")
            let raw = try await sandbox.must("config", file, "--no-interpolate").output
            #expect(raw.contains("image: ${IMAGE_NAME:-nginx}:1\n"), "\(raw)")
            #expect(try await sandbox.must("config", file, "--services").output == "db\nweb\n")
            #expect(try await sandbox.must("config", file, "--images").output == "db\nnginx:1\n")
            #expect(try await sandbox.must("config", file, "--volumes").output == "data\n")
            #expect(try await sandbox.must("config", file, "--networks").output == "default\n")
            #expect(try await sandbox.must("config", file, "--profiles").output == "extra\n")
            #expect(try await sandbox.must("config", file, "--environment").output.contains("TOKEN=pa$word\n"))
            #expect(try await sandbox.must("config", file, "--variables").output.contains("IMAGE_NAME"))
            #expect(try await sandbox.must("config", file, "--hash", "db").output.split(separator: " ").count == 2)
            #expect(try await sandbox.must("config", file, "-q").output.isEmpty)
            let written = sandbox.directory + "/out.yaml"
            #expect(try await sandbox.must("config", file, "-o", written).output.isEmpty)
            #expect(try read(written) == yaml)
        }
    }

    @Test func `so config tells what is wrong and what it cannot do`() async throws {
        try await withPodlessSandbox { sandbox in
            try write("services: {a: {image: a, depends_on: [b]}}\n", to: sandbox.directory + "/compose.yaml")
            let file = "--file=\(sandbox.directory)/compose.yaml"
            let wrong = try await sandbox.so(["config", file])
            #expect(!wrong.succeeded && wrong.errors.contains("compose.yaml:1"), "\(wrong)")
            let digests = try await sandbox.so(["config", file, "--resolve-image-digests"])
            #expect(digests.status == 64 && digests.errors.contains("not available"), "\(digests)")
        }
    }
}
