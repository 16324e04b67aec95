import FoundationEssentials
import TestSupport
import Testing

/// Images that are really built, pushed and pulled, with a registry of the test's own on 127.0.0.1.
@Suite(.pods, .podmanOnly) struct ImageTests {
    /// A stack with two images of `containers`, the second on the first, and one of a `build:` section.
    private func writeStack(_ sandbox: Sandbox, first: String = "one") throws -> [String] {
        let token = sandbox.token
        let (base, app) = ("\(token)/base", "\(token)/app")
        try sandbox.writeStack(
            """
            services:
              app:
                image: \(app):local
                command: sleep 600
              built:
                build: {context: ../context, args: {WORD: "from ${WORD:-compose}"}}
                command: sleep 600
            """, stackFile: "containers:\n  - \(app)\n  - \(base)\n")
        let root = sandbox.directory + "/repo"
        try write("FROM \(sandbox.image)\nCOPY file /base\n", to: "\(root)/container-build/\(token)-base/Containerfile")
        try write("\(first) \(token)", to: "\(root)/container-build/\(token)-base/file")
        try write("FROM \(base):local\nCOPY file /app\n", to: "\(root)/container-build/\(token)-app/Dockerfile")
        try write("app of \(token)", to: "\(root)/container-build/\(token)-app/file")
        try write("FROM \(sandbox.image)\nARG WORD\nENV WORD=$WORD TOKEN=\(token)\n", to: "\(root)/context/Dockerfile")
        return ["\(app):local", "\(base):local", "\(sandbox.stack)-built"]
    }

    private func withStack(_ body: (Sandbox, [String]) async throws -> Void) async throws {
        try await withSandbox { sandbox in
            let images = try writeStack(sandbox)
            var failure: (any Error)?
            do { try await body(sandbox, images) } catch { failure = error }
            // Of these alone: podman looks at each image that it lists, and fails when one of another test is removed meanwhile.
            let names = ["*\(sandbox.token)*", "\(sandbox.token)/*", "*/team/\(sandbox.token)/*"]
            let filters = names.flatMap { ["--filter", "reference=\($0)"] }
            for id in Set(try await Podman.run(["images", "--quiet"] + filters).output.split(separator: "\n")) {
                try await Podman.run(["rmi", "--force", String(id)])
            }
            if let failure { throw failure }
        }
    }

    @Test func `images are built after those that they build on, and an unchanged one is not built again`() async throws
    {
        try await withStack { sandbox, images in
            let built = try await sandbox.must("build-containers", "--stack", sandbox.stackDirectory, "-o", "json")
            for image in images { #expect(built.output.contains("\"image\": \"\(image)\"")) }
            #expect(!built.output.contains("unchanged"))
            let again = try await sandbox.must("build-containers", "--stack", sandbox.stackDirectory, "-o", "json")
            #expect(!again.output.contains("\"built\""))
            try write("two", to: sandbox.directory + "/repo/container-build/\(sandbox.token)-base/file")
            let changed = try await sandbox.must(
                "build-containers", "--stack", sandbox.stackDirectory, "--include", "base,app")
            #expect(changed.output.split(separator: "\n").filter { $0.hasSuffix("built") }.count == 2, "\(changed)")
            try sandbox.writeSpec()
            try await sandbox.must(
                "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", sandbox.deployment)
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.inside("app", "cat", "/base") == "two")
            #expect(try await sandbox.inside("built", "sh", "-c", "echo $WORD") == "from compose")
        }
    }

    @Test func `a failed build shows its end, and keeps all of it`() async throws {
        try await withStack { sandbox, _ in
            try write(
                "FROM \(sandbox.image)\nRUN echo a reason; exit 7\n",
                to: sandbox.directory + "/repo/container-build/\(sandbox.token)-base/Containerfile")
            let finished = try await sandbox.so(["build-containers", "--stack", sandbox.stackDirectory])
            #expect(finished.status == 1)
            #expect(
                finished.errors.contains("| a reason") || finished.errors.contains("RUN echo a reason"), "\(finished)")
            #expect(finished.errors.contains("skipped   \(sandbox.token)/app:local"))
            let log = "\(sandbox.directory)/home/.local/state/so/builds/\(sandbox.token)-base-local.log"
            #expect(finished.errors.contains(log))
            #expect(try read(log).contains("FROM"))
        }
    }

    @Test func `a build script of the predecessor runs as it is`() async throws {
        try await withStack { sandbox, _ in
            let repository = try await GitRepository(sandbox.directory + "/forge/org/source")
            try await repository.commit(["Dockerfile": "FROM \(sandbox.image)\nCOPY Dockerfile /source\n"])
            let directory = sandbox.directory + "/repo/container-build/\(sandbox.token)-base"
            removeTree(directory)
            let script = """
                #!/usr/bin/env bash
                source ${CERC_CONTAINER_BASE_DIR}/build-base.sh
                docker build -t \(sandbox.token)/base:local ${build_command_args} ${CERC_REPO_BASE_DIR}/source

                """
            try write(script, to: directory + "/build.sh", mode: 0o755)
            try write(
                read(sandbox.stackDirectory + "/stack.yml") + "repos: [\(repository.directory)]\n",
                to: sandbox.stackDirectory + "/stack.yml")
            try await sandbox.must("setup-repositories", "--stack", sandbox.stackDirectory)
            let arguments = ["build-containers", "--stack", sandbox.stackDirectory, "--include", "base"]
            let built = try await sandbox.so(
                arguments + ["--extra-build-args", "--label so.test=1", "--force-rebuild"])
            #expect(built.succeeded, "\(built)")
            let label = try await Podman.lines(
                "image", "inspect", "--format", "{{index .Labels \"so.test\"}}", "\(sandbox.token)/base:local")
            #expect(label == ["1"])
        }
    }

    @Test func `what is pushed is what is pulled`() async throws {
        try await withStack { sandbox, images in
            try await withRegistry { registry in
                let published = try await sandbox.must(
                    "build-containers", "--stack", sandbox.stackDirectory, "--publish-images", "--image-registry",
                    registry.address + "/team", "-o", "json")
                let digest = try #require(try registry.digest("team/\(sandbox.token)/app", tag: "latest"))
                #expect(published.output.contains("\(registry.address)/team/\(sandbox.token)/app@\(digest)"))
                for image in images { try await Podman.run(["rmi", "--force", image]) }
                let fetch = [
                    "fetch-containers", "--stack", sandbox.stackDirectory, "--image-registry",
                    registry.address + "/team",
                ]
                let fetched = try await sandbox.so(fetch)
                #expect(fetched.succeeded, "\(fetched)")
                #expect(fetched.output.contains("fetched"))
                #expect(try await Podman.run(["image", "exists", "\(sandbox.token)/app:local"]).succeeded)
                #expect(try await sandbox.so(fetch).output.contains("present"))
                #expect(try await sandbox.so(fetch + ["--force-local-overwrite"]).output.contains("fetched"))
            }
        }
    }

    @Test func `a deployment for a cluster names the very content that it pushed`() async throws {
        try await withStack { sandbox, _ in
            try await withRegistry(login: "me:top-secret") { registry in
                try await sandbox.must("build-containers", "--stack", sandbox.stackDirectory)
                try write("kind: Config\n", to: sandbox.directory + "/kubeconfig")
                try write("top-secret\n", to: sandbox.directory + "/token", mode: 0o600)
                let more = """
                    image-registry: \(registry.address)/team
                    kube-config: \(sandbox.directory)/kubeconfig
                    image-pull-secret: {server: \(registry.address), username: me, token-file: \(sandbox.directory)/token}

                    """
                try write("stack: \(sandbox.stackDirectory)\ndeploy-to: k8s\n" + more, to: sandbox.specFile)
                let directory = sandbox.directory + "/cluster"
                try await sandbox.must(
                    "deploy", "create", "--spec-file", sandbox.specFile, "--deployment-dir", directory)
                let before = try await sandbox.must("render", "--dir", directory)
                #expect(before.output.contains("image: \(registry.address)/team/\(sandbox.token)/app:latest"))
                let pushed = try await sandbox.must("deployment", "--dir", directory, "push-images", "-o", "json")
                let digest = try #require(try registry.digest("team/\(sandbox.token)/app", tag: "latest"))
                let pinned = "\(registry.address)/team/\(sandbox.token)/app@\(digest)"
                #expect(pushed.output.contains(pinned))
                let after = try await sandbox.must("render", "--dir", directory)
                #expect(after.output.contains("image: \(pinned)"))
                #expect(!(pushed.everything + after.everything).contains("top-secret"))
                let pull = try await Podman.run([
                    "pull", "--quiet", "--tls-verify=false", "--creds", "me:top-secret", pinned,
                ])
                #expect(pull.succeeded, "\(pull)")
            }
        }
    }

    @Test func `the spec's login is for its own registry, and the user's logins count for the others`() async throws {
        try await withSandbox { sandbox in
            try await withRegistry(login: "me:of-the-spec") { own in
                try await withRegistry(login: "me:of-the-user") { other in
                    let names = ["\(own.address)/\(sandbox.token)/a:1", "\(other.address)/\(sandbox.token)/b:1"]
                    for (name, login) in zip(names, ["me:of-the-spec", "me:of-the-user"]) {
                        let pushed = try await Podman.run([
                            "push", "--quiet", "--tls-verify=false", "--creds", login, sandbox.image,
                            "docker://\(name)",
                        ])
                        try #require(pushed.succeeded, "\(pushed)")
                    }
                    let login = Data("me:of-the-user".utf8).base64EncodedString()
                    try write(
                        "{\"auths\": {\"\(other.address)\": {\"auth\": \"\(login)\"}}}",
                        to: sandbox.directory + "/home/.docker/config.json", mode: 0o600)
                    try write("of-the-spec\n", to: sandbox.directory + "/token", mode: 0o600)
                    let services = idle("a") + idle("b")
                    try await sandbox.create(
                        "services:\n" + services.replacing("IMAGE", with: "PLACE"),
                        spec: """
                            image-pull-secret: {server: "http://\(own.address)", username: me, token-file: \(sandbox.directory)/token}
                            image-overrides: {a: "\(names[0])", b: "\(names[1])"}

                            """)
                    let started = try await sandbox.deployment("start")
                    #expect(started.succeeded, "\(started)")
                    #expect(!exists(sandbox.deployment + "/.state/registry-logins.json"))
                    try await sandbox.mustDeployment("stop", "--delete-volumes")
                    for name in names { try await Podman.run(["rmi", "--force", name]) }
                }
            }
        }
    }

    @Test func `a registry that does not answer is named, with what to do`() async throws {
        try await withStack { sandbox, _ in
            let finished = try await sandbox.so([
                "fetch-containers", "--stack", sandbox.stackDirectory, "--image-registry",
                "127.0.0.1:\(try freePort())",
            ])
            #expect(finished.status == 69, "\(finished)")
            #expect(finished.errors.contains("could not be fetched from 127.0.0.1:"))
            let usage = try await sandbox.so([
                "build-containers", "--stack", sandbox.stackDirectory, "--publish-images",
            ])
            #expect(usage.status == 64)
        }
    }
}
