import FoundationEssentials
import TestSupport
import Testing

/// Keys of spec.yml, each shown by real pods as far as podman can show it.
@Suite(.pods) struct SpecKeyTests {
    @Test(.podmanOnly)
    func `certificates, privileges, limits and names of the spec reach every container, init steps and jobs too`()
        async throws
    {
        try await withSandbox { sandbox in
            let show = "ls /etc/ssl/certs; cat $$NODE_EXTRA_CA_CERTS; ulimit -l; cat /etc/hosts"
            let compose = """
                services:
                  web:
                    image: IMAGE
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    volumes: ["out:/out"]
                    depends_on: {prepare: {condition: service_completed_successfully}}
                  prepare:
                    image: IMAGE
                    labels: {laconic.init-container: "true"}
                    command: ["sh", "-c", "(\(show)) > /out/init"]
                    volumes: ["out:/out"]
                volumes: {out: }
                """
            let job = "services:\n  seed:\n    image: IMAGE\n    command: [\"sh\", \"-c\", \"\(show)\"]\n"
            try sandbox.writeStack(compose, jobs: ["seed": job])
            try write("THE CERTIFICATE\n", to: sandbox.directory + "/ca/own.pem")
            try sandbox.writeSpec(
                """
                namespace: so-\(sandbox.stack)
                ca-certificates: [ca/own.pem]
                external-services: {legacy: {ip: 10.9.8.7, port: 5432}}
                security: {capabilities: [SYS_PTRACE], unlimited-memlock: false}
                annotations: {example.com/note: "for {name}"}
                labels: {tier: "{name}-tier"}
                resources: {containers: {limits: {memory: 96M}, web: {limits: {memory: 80M}}}}

                """)
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            removeTree(sandbox.directory + "/ca")
            try await sandbox.mustDeployment("start")
            for said in [
                try await sandbox.inside("web", "sh", "-c", "\(show.replacing("$$", with: "$"))"),
                try await sandbox.inside("web", "cat", "/out/init"),
                try await sandbox.mustDeployment("logs", "seed").output,
            ] {
                #expect(said.contains("own.pem") && said.contains("THE CERTIFICATE"), "\(said)")
                #expect(said.contains("10.9.8.7") && said.contains("legacy"), "\(said)")
            }
            let id = try #require(try await sandbox.containers("web").first)
            let inspected = try await Podman.lines(
                "container", "inspect", "--format",
                "{{.HostConfig.Memory}} {{.EffectiveCaps}} {{index .Config.Labels \"tier\"}}", id)
            #expect(inspected.first?.hasPrefix("80000000 ") == true, "\(inspected)")
            #expect(inspected.first?.contains("CAP_SYS_PTRACE") == true)
            #expect(inspected.first?.hasSuffix("web-tier") == true)
        }
    }

    @Test(.podmanOnly) func `programs gain no privileges, unless compose or the spec says so`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services:\n" + idle("plain")
                    + idle("asked", "    security_opt: [\"no-new-privileges:false\"]") + "\n", spec: "")
            func flag(_ service: String) async throws -> String {
                let line = try await sandbox.inside(service, "grep", "NoNewPrivs", "/proc/1/status")
                return String(line.filter(\.isNumber))
            }
            try await sandbox.mustDeployment("start")
            #expect(try await flag("plain") == "1")
            #expect(try await flag("asked") == "0")
            try sandbox.appendToSpec("security: {privilege-escalation: true}\n")
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await flag("plain") == "0")
        }
    }

    @Test(.podmanOnly) func `replicas, image policy and overrides of the spec are what runs`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services:\n" + idle("one", "    environment: {A: \"1\"}")
                    + "\n  two:\n    image: nowhere.invalid/none:1\n"
                    + "    command: [\"sleep\", \"100000\"]\n    stop_grace_period: 0s\n",
                spec: "replicas: 2\nimage-pull-policy: Never\nimage-overrides: {two: \"IMAGE\"}\n")
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.containers("one").count == 2)
            #expect(try await sandbox.containers("two").count == 2)
            try sandbox.appendToSpec("")
            try write(
                read(sandbox.specFile).replacing("two: \"\(sandbox.image)\"", with: "two: \"nowhere.invalid/other:1\""),
                to: sandbox.specFile)
            try await sandbox.update()
            let failed = try await sandbox.deployment("start")
            #expect(
                failed.status == 1 && failed.errors.contains("nowhere.invalid/other:1 is not on this host"), "\(failed)"
            )
            #expect(try await sandbox.containers("two").count == 2)
        }
    }

    @Test(.podmanOnly) func `what only a cluster can do is named before anything starts`() async throws {
        try await withSandbox { sandbox in
            try await sandbox.create(
                "services:\n" + idle("one"),
                spec: """
                    security: {runtime-class: gvisor}
                    node-affinities: [{label: disk, value: ssd}]
                    external-services: {upstream: {host: api.example.com}}

                    """)
            let started = try await sandbox.mustDeployment("start")
            for words in [
                "runtimeClassName gvisor", "placement on nodes",
                "podman has no name for the external host api.example.com",
            ] {
                #expect(started.errors.contains(words), "\(started)")
            }
        }
    }

    @Test func `a registry's login without its token is an error, and is in no output`() async throws {
        try await withSandbox { sandbox in
            try sandbox.writeStack("services:\n  one:\n    image: nowhere.invalid/none:1\n")
            try sandbox.writeSpec(
                "image-pull-secret: {server: nowhere.invalid, username: me, token-env: SO_TEST_TOKEN}\n")
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            let missing = try await sandbox.deployment("start")
            #expect(missing.status == 66 && missing.errors.contains("set SO_TEST_TOKEN"), "\(missing)")
            let failed = try await sandbox.so(
                ["deployment", "--dir", sandbox.deployment, "--debug", "start"],
                environment: ["SO_TEST_TOKEN": "the-very-token"])
            #expect(failed.status == 1 && !failed.everything.contains("the-very-token"), "\(failed)")
            #expect(try files(below: sandbox.deployment, holding: "the-very-token") == [])
            let rendered = try await sandbox.so(
                ["render", "--dir", sandbox.deployment], environment: ["SO_TEST_TOKEN": "the-very-token"])
            #expect(!rendered.everything.contains("the-very-token"))
        }
    }
}
