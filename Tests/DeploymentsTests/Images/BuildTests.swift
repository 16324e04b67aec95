import Compose
import ExternalTools
import Specs
import Synchronization
import TestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

@Suite struct BuildTests {
    @Test(arguments: [
        ("FROM a/b:local\n", ["a/b:local"]),
        ("ARG BASE=cerc/x:local\nFROM ${BASE} AS build\nFROM build\nCOPY --from=build /a /b\n", ["cerc/x:local"]),
        (
            "# FROM no\nFROM --platform=linux/amd64 \\\n  one AS x\nCOPY --from=two a b\nRUN --mount=type=bind,from=three,target=/x true\n",
            ["one", "two", "three"]
        ),
        ("from scratch\nCOPY --from=0 / /\n", ["scratch"]),
    ])
    func `the images that a Containerfile builds on are found`(text: String, images: [String]) {
        #expect(ContainerfileImages(text).references == images)
    }

    @Test func `an argument that is given counts before its default`() {
        #expect(ContainerfileImages("ARG V=1\nFROM app:$V", arguments: ["V": "2"]).references == ["app:2"])
    }

    private func build(_ tag: String, bases: [String] = [], isScript: Bool = false, shell: String = "true")
        -> ImageBuild
    {
        var build = ImageBuild(image: tag, tag: tag, command: Command("sh", ["-c", shell], host: hostEnvironment))
        build.bases = bases
        build.isScript = isScript
        return build
    }

    private func run(_ builds: [ImageBuild], _ directory: String = "/nonexistent") -> BuildRun {
        BuildRun(builds, engine: ImageEngine(.podman, podman: Fixture.podman), logDirectory: directory)
    }

    @Test func `images are built after those that they build on, and scripts after all before them`() {
        let builds = [
            build("a:local", bases: ["c:local"]), build("b:local", isScript: true), build("c:local"),
            build("d", bases: ["localhost/a:local", "c:local"]),
        ]
        #expect(run(builds).order == [[2], [0], [], [0, 2]])
    }

    @Test func `images that build on each other are named`() async {
        let builds = [build("a:local", bases: ["b:local"]), build("b:local", bases: ["a:local"]), build("c:local")]
        let error = await #expect(throws: DeploymentError.self) {
            try await withTemporaryDirectory { try await run(builds, $0).run { _ in } }
        }
        #expect(error?.message == "these images build on each other: a:local, b:local")
    }

    @Test func `a failure shows the end of the output and its file, and only what needs the image is skipped`()
        async throws
    {
        try await withTemporaryDirectory { directory in
            let builds = [
                build("so-test-none/a:local", shell: "echo the reason >&2; exit 3"),
                build("so-test-none/b:local", bases: ["so-test-none/a:local"], shell: "echo never"),
                build("so-test-none/c:local", shell: "echo other; exit 4"),
            ]
            let skipped = Mutex<[String]>([])
            let error = await #expect(throws: DeploymentError.self) {
                try await run(builds, directory).run { event in
                    if case .skipped(let build, _) = event { skipped.withLock { $0.append(build.tag) } }
                }
            }
            let message = try #require(error?.message)
            #expect(
                message.contains("exit code 3") && message.contains("| the reason") && message.contains("exit code 4"))
            #expect(skipped.withLock { $0 } == ["so-test-none/b:local"])
            #expect(try read(directory + "/so-test-none-a-local.log") == "the reason\n")
        }
    }

    @Test func `podman and docker are asked in their own words`() {
        let podman = ImageArguments.push(
            .podman, "a:local", to: "127.0.0.1:5000/a:latest", logins: "/l", digestFile: "/d")
        #expect(
            podman == [
                "push", "--quiet", "--digestfile", "/d", "--tls-verify=false", "--authfile", "/l", "--", "a:local",
                "docker://127.0.0.1:5000/a:latest",
            ])
        let docker = ImageArguments.push(.docker, "a:local", to: "r.example/a:latest", logins: nil, digestFile: "/d")
        #expect(docker == ["push", "--quiet", "--", "r.example/a:latest"])
        #expect(ImageArguments.pull(.podman, "r.example/a", logins: nil) == ["pull", "--quiet", "--", "r.example/a"])
    }

    @Test(arguments: [
        ("secrets: [{source: key, target: \"x,src=/root/.ssh/id_rsa\"}]", "x,src="),
        ("ssh: [\"default=/home/me/.ssh/id_rsa\"]", "/home/me/.ssh/id_rsa"), ("ssh: [default]", "ssh agent"),
    ])
    func `a build of a stack gets no file or key of the operator's by what an option is taken apart into`(
        _ key: String, _ named: String
    ) throws {
        let compose = """
            services: {a: {build: {context: /p, dockerfile_inline: "FROM x", \(key)}}}
            secrets: {key: {file: /p/key}}
            """
        var diagnostics = Diagnostics()
        let project = try #require(
            loadProject(
                files: ["/p/compose.yml"], tree: .memory(texts: ["/p/compose.yml": compose]), diagnostics: &diagnostics)
        )
        let options = ImageBuild.Options(
            repositoryBase: "/p", engine: ImageEngine(.podman, podman: Fixture.podman),
            workspace: BuildWorkspace(unmade: "/p"))
        diagnostics = Diagnostics()
        let builds = ImageBuild.ofServices(
            LayeredProject(stackName: "s", spec: Spec(directory: "/p"), project: project), options: options,
            diagnostics: &diagnostics)
        #expect(!builds.contains { $0.command.description.contains(named) })
        #expect(diagnostics.list.contains { $0.severity == .error && $0.what.contains(named) }, "\(diagnostics.list)")
    }

    @Test(arguments: [("", false, false), ("SECRET_KEY", false, true), ("", true, true)])
    func `a build reads the user's environment only where the spec or the user says so`(
        named: String, isOwn: Bool, isBuilt: Bool
    ) throws {
        let compose = """
            services: {a: {build: {context: /p, dockerfile_inline: "FROM x", secrets: [key]}}}
            secrets: {key: {environment: SECRET_KEY}}
            """
        var diagnostics = Diagnostics()
        let project = try #require(
            loadProject(
                files: ["/p/compose.yml"], tree: .memory(texts: ["/p/compose.yml": compose]), diagnostics: &diagnostics)
        )
        var spec = Spec(directory: "/p")
        if !named.isEmpty { spec.envFromHost = [Located(named, at: Mark(file: "spec.yml"))] }
        let options = ImageBuild.Options(
            repositoryBase: "/p", engine: ImageEngine(.podman, podman: Fixture.podman),
            workspace: BuildWorkspace(unmade: "/p"))
        diagnostics = Diagnostics()
        let builds = ImageBuild.ofServices(
            LayeredProject(stackName: "s", spec: spec, project: project), options: options, readsEnvironment: isOwn,
            diagnostics: &diagnostics)
        #expect(builds.contains { $0.command.description.contains("env=SECRET_KEY") } == isBuilt)
        let refusals = diagnostics.list.filter { $0.what.contains("SECRET_KEY") && $0.mark?.file == "/p/compose.yml" }
        #expect(refusals.isEmpty == isBuilt, "\(diagnostics.list)")
    }

    private static let buildKeys = [
        "additional_contexts: {more: /more}", "args: {A: b}", "cache_from: [\"cache:1\"]", "context: /q",
        "extra_hosts: [\"h:10.0.0.1\"]", "labels: {a: b}", "network: host", "no_cache: true",
        "platforms: [linux/arm64]",
        "pull: true", "secrets: [{source: key, target: t}]", "shm_size: 64m", "ssh: [default]", "tags: [\"more:1\"]",
        "target: stage", "ulimits: {nproc: {soft: 10, hard: 20}}",
    ]

    /// What compose's `build` says is said to the engine; what cannot be is reported where it is rendered: `build.*` of `KeyMapping`.
    @Test(arguments: buildKeys) func `a key of build reaches the engine`(key: String) throws {
        func command(_ keys: [String]) throws -> String {
            let text = "services: {a: {build: {dockerfile_inline: \"FROM x\", \(keys.joined(separator: ", "))}}}\n"
            var diagnostics = Diagnostics()
            let files = ["/p/compose.yml": text + "secrets: {key: {file: /p/key}}\n"]
            let project = try #require(
                loadProject(files: ["/p/compose.yml"], tree: .memory(texts: files), diagnostics: &diagnostics),
                "\(diagnostics.list)")
            let options = ImageBuild.Options(
                repositoryBase: "/p", engine: ImageEngine(.podman, podman: Fixture.podman),
                workspace: BuildWorkspace(unmade: "/p"))
            let builds = ImageBuild.ofServices(
                LayeredProject(stackName: "s", spec: Spec(directory: "/p"), project: project), options: options,
                readsEnvironment: true, diagnostics: &diagnostics)
            return try #require(builds.first).command.description
        }
        let words = try command(Self.buildKeys)
        let without = try command(Self.buildKeys.filter { $0 != key })
        #expect(words.split(separator: " ").count >= without.split(separator: " ").count && words != without)
    }
}
