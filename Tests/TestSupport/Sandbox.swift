import FoundationEssentials
import Glibc
package import Testing

/// One scenario's world: a temporary directory with a home of its own, a token that is part of every name in it, and the built `so`.
///
/// Everything that the scenario makes is named with `token`, so that what it leaks can be told from what others run beside it.
package struct Sandbox: Sendable {
    /// The scenario's own directory; `so` is run in it.
    package let directory: String
    /// Part of the stack's name, hence of the namespace and of all that podman is asked to make.
    package let token: String
    package let image: String
    /// Added to the environment of `so`.
    package let added: [String: String]

    fileprivate init(directory: String, image: String, added: [String: String] = [:]) throws {
        self.directory = directory
        self.token = randomToken()
        self.image = image
        // A pod for routes of its own: the caller's is none of a test's business.
        self.added = ["SO_ROUTES_NAME": "so-routes-\(token)"].merging(added) { $1 }
        for path in ["home", "tmp"] {
            try FileManager.default.createDirectory(atPath: "\(directory)/\(path)", withIntermediateDirectories: true)
        }
    }

    /// The stack's name; its namespace is `so-<stack>`.
    package var stack: String { "scenario-\(token)" }
    package var namespace: String { "so-\(stack)" }
    package var stackDirectory: String { "\(directory)/repo/stacks/\(stack)" }
    package var specFile: String { directory + "/spec.yml" }
    package var deployment: String { directory + "/deployment" }

    /// The built program: `$SO_BINARY`, else the one beside the test bundle.
    package static let binary: String =
        ProcessInfo.processInfo.environment["SO_BINARY"] ?? Shared.packageRoot + "/.build/debug/so"

    package var environment: [String: String] {
        var environment = ["HOME": directory + "/home", "LANG": "C.UTF-8", "TMPDIR": directory + "/tmp"]
        for name in [
            "PATH", "CONTAINERS_CONF", "CONTAINERS_STORAGE_CONF", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
        ] {
            environment[name] = Podman.environment[name]
        }
        for (name, path) in ["CONFIG": ".config", "DATA": ".local/share", "CACHE": ".cache", "STATE": ".local/state"] {
            environment["XDG_\(name)_HOME"] = "\(directory)/home/\(path)"
        }
        // An ordinary user's podman keeps its images below the home; the sandbox's `so` must find those of the tests.
        if geteuid() != 0 {
            environment["XDG_DATA_HOME"] = Podman.environment["XDG_DATA_HOME"] ?? realHome + "/.local/share"
        }
        return environment.merging(added) { $1 }
    }

    private var realHome: String { Podman.environment["HOME"] ?? "/" }

    /// Runs `so` in the sandbox.
    @discardableResult
    package func so(
        _ arguments: [String], input: String = "", environment added: [String: String] = [:],
        during: (Running) async throws -> Void = { _ in }
    ) async throws -> Finished {
        guard exists(Self.binary) else { throw NoBinary() }
        return try await run(
            Self.binary, arguments, environment: environment.merging(added) { $1 }, directory: directory, input: input,
            during: during)
    }

    /// `so deployment --dir <this deployment> …`
    @discardableResult
    package func deployment(
        _ arguments: String..., input: String = "", during: (Running) async throws -> Void = { _ in }
    ) async throws -> Finished {
        try await so(["deployment", "--dir", deployment] + arguments, input: input, during: during)
    }

    /// Runs `so` and requires that it succeeds; all it said is part of the issue where it did not.
    @discardableResult
    package func must(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> Finished
    {
        let finished = try await so(arguments)
        try #require(finished.succeeded, "\(finished)", sourceLocation: sourceLocation)
        return finished
    }

    /// `so deployment --dir <this deployment> …`, which must succeed.
    @discardableResult
    package func mustDeployment(
        _ arguments: String..., input: String = "", sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Finished {
        let finished = try await so(["deployment", "--dir", deployment] + arguments, input: input)
        try #require(finished.succeeded, "\(finished)", sourceLocation: sourceLocation)
        return finished
    }

    /// Writes the stack: its compose file, with `IMAGE` standing for the test image, jobs, and files below `config/<stack>/`.
    package func writeStack(
        _ compose: String, jobs: [String: String] = [:], config: [String: String] = [:], stackFile: String = ""
    ) throws {
        let root = directory + "/repo"
        var file = "name: \(stack)\ndescription: A scenario\npods:\n  - \(stack)\n"
        if !jobs.isEmpty { file += "jobs:\n" + jobs.keys.sorted().map { "  - \($0)\n" }.joined() }
        try write(file + stackFile, to: stackDirectory + "/stack.yml")
        try write(fill(compose), to: "\(root)/compose/docker-compose-\(stack).yml")
        for (name, job) in jobs { try write(fill(job), to: "\(root)/compose-jobs/docker-compose-\(name).yml") }
        for (path, text) in config {
            try write(fill(text), to: "\(root)/config/\(stack)/\(path)", mode: path.hasSuffix(".sh") ? 0o755 : 0o644)
        }
    }

    /// Writes the spec: the stack, podman (or the cluster that the scenarios run on), and what else is given.
    package func writeSpec(_ more: String = "") throws {
        // A relative path means nothing on a node.
        let text =
            TestCluster.named == nil ? fill(more) : fill(more).replacing("./data/", with: "/tmp/so-node-\(token)/")
        try write("stack: \(stackDirectory)\n" + targetLines(beside: text) + text, to: specFile)
    }

    /// A spec's lines that say where it runs, beside those given.
    package func targetLines(beside text: String = "") -> String {
        TestCluster.named?.specLines(beside: text) ?? "deploy-to: podman\n"
    }

    /// A stack and a spec, created as a deployment.
    package func create(
        _ compose: String, spec: String = "", jobs: [String: String] = [:], config: [String: String] = [:],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        try writeStack(compose, jobs: jobs, config: config)
        try writeSpec(spec)
        try await must(
            "deploy", "create", "--spec-file", specFile, "--deployment-dir", deployment, sourceLocation: sourceLocation)
    }

    /// Brings an edited stack or spec into the deployment.
    package func update(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await must(
            "deploy", "create", "--update", "--spec-file", specFile, "--deployment-dir", deployment,
            sourceLocation: sourceLocation)
    }

    private func fill(_ text: String) -> String {
        text.replacing("IMAGE", with: image).replacing("STACK", with: stack)
    }

    package struct NoBinary: Error, CustomStringConvertible {
        package let description = "\(Sandbox.binary) is missing: swift build --product so"
    }
}

/// Runs a scenario in a sandbox. Afterwards the deployment, if one is left, is removed with its volumes through `so` itself, and what
/// remains of it in podman is an issue: a leak. Last in, first out: pods, then podman's orphans, then the files.
package func withSandbox(
    environment: [String: String] = [:], sourceLocation: SourceLocation = #_sourceLocation,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (Sandbox) async throws -> Void
) async throws {
    try await withTemporaryDirectory("so-scenario") { directory in
        if let cluster = TestCluster.named {
            let sandbox = try Sandbox(directory: directory, image: cluster.image, added: environment)
            return try await onCluster(cluster, sandbox, sourceLocation: sourceLocation, body)
        }
        let sandbox = try Sandbox(
            directory: directory, image: try await Podman.testImage(), added: environment)
        var failure: (any Error)?
        do { try await body(sandbox) } catch { failure = error }
        if exists(sandbox.deployment) {
            let stopped = try await sandbox.deployment("stop", "--delete-volumes")
            if failure == nil { #expect(stopped.succeeded, "\(stopped)", sourceLocation: sourceLocation) }
        }
        let leaked = try await Podman.named(sandbox.token)
        if failure == nil {
            #expect(leaked == [], "left in podman after the last stop", sourceLocation: sourceLocation)
        }
        await Podman.removeAll(named: sandbox.token)
        if let failure { throw failure }
    }
}

/// The same on a cluster: nothing of the deployment may be left there, its namespace included.
private func onCluster(
    _ cluster: TestCluster, _ sandbox: Sandbox, sourceLocation: SourceLocation,
    isolation: isolated (any Actor)? = #isolation, _ body: (Sandbox) async throws -> Void
) async throws {
    var failure: (any Error)?
    do { try await body(sandbox) } catch { failure = error }
    if exists(sandbox.deployment) {
        let stopped = try await sandbox.deployment("stop", "--delete-volumes", "--delete-namespace")
        if failure == nil { #expect(stopped.succeeded, "\(stopped)", sourceLocation: sourceLocation) }
    }
    let leaked = try await cluster.named(sandbox.token)
    if failure == nil {
        #expect(leaked == [], "left in the cluster after the last stop", sourceLocation: sourceLocation)
    }
    await cluster.removeAll(named: sandbox.token)
    if let failure { throw failure }
}

/// A sandbox for what needs no pods: nothing is asked of podman, and the image is only a name.
package func withPodlessSandbox(
    isolation: isolated (any Actor)? = #isolation, _ body: (Sandbox) async throws -> Void
) async throws {
    try await withTemporaryDirectory("so-podless") { directory in
        try await body(try Sandbox(directory: directory, image: "localhost/none:1"))
    }
}
