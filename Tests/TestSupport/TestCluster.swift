import FoundationEssentials
package import Testing

/// The Kubernetes API on which the scenarios run instead of podman, where `SO_TEST_KUBECONFIG` names one.
///
/// Its nodes must have the image that `SO_TEST_IMAGE` names (busybox with all its applets, default `localhost/bb:1`); nothing is pulled.
package struct TestCluster: Sendable {
    package let kubeconfig: String
    package let image: String

    /// Nil: the scenarios run on podman.
    package static let named: TestCluster? = {
        let environment = ProcessInfo.processInfo.environment
        guard let kubeconfig = environment["SO_TEST_KUBECONFIG"], !kubeconfig.isEmpty else { return nil }
        return TestCluster(kubeconfig: kubeconfig, image: environment["SO_TEST_IMAGE"] ?? "localhost/bb:1")
    }()

    /// The program that brings an archive of an image onto the cluster's nodes; nil: nothing does.
    package static let loader = ProcessInfo.processInfo.environment["SO_TEST_LOAD_IMAGE"]

    /// The address at which its pods reach what the tests serve on all addresses: `SO_TEST_HOST_ADDRESS`.
    package static let hostAddress = ProcessInfo.processInfo.environment["SO_TEST_HOST_ADDRESS"]

    /// Brings an image of podman's onto the nodes, once.
    package func load(_ image: String) async throws {
        guard Self.loader != nil else { return }
        try await Self.loaded.once(image) { try await bring(image) }
    }

    private static let loaded = LoadedImages()

    private func bring(_ image: String) async throws {
        guard let loader = Self.loader else { return }
        try await withTemporaryDirectory("so-image") { directory in
            let saved = try await Podman.run(["save", "--quiet", "--output", directory + "/image.tar", image])
            guard saved.succeeded else { throw Podman.Failed(finished: saved) }
            let loaded = try await run(loader, [directory + "/image.tar"], environment: Podman.environment)
            guard loaded.succeeded else { throw Podman.Failed(finished: loaded) }
        }
    }

    /// The lines that a spec for it has beside those given.
    func specLines(beside text: String) -> String {
        let policy = text.contains("image-pull-policy:") ? "" : "image-pull-policy: IfNotPresent\n"
        return "deploy-to: k8s\nkube-config: \(kubeconfig)\n" + policy
    }

    package func kubectl(_ arguments: String...) async throws -> Finished { try await kubectl(arguments) }

    package func kubectl(_ arguments: [String]) async throws -> Finished {
        try await run("kubectl", ["--kubeconfig", kubeconfig] + arguments, environment: Podman.environment)
    }

    /// Everything whose name holds `token`, as `kind/name`: namespaces with what is in them, and volumes.
    func named(_ token: String) async throws -> [String] {
        let found = try await kubectl("get", "namespaces,persistentvolumes", "-o", "name")
        return found.output.split(separator: "\n").map(String.init).filter { $0.contains(token) }.sorted()
    }

    package func removeAll(named token: String) async {
        for object in (try? await named(token)) ?? [] { _ = try? await kubectl("delete", object, "--wait=false") }
    }
}

/// What has been brought onto the nodes by this process, and what is on its way.
private actor LoadedImages {
    private var images: [String: Task<Void, any Error>] = [:]

    func once(_ image: String, _ load: @escaping @Sendable () async throws -> Void) async throws {
        let task = images[image] ?? Task { try await load() }
        images[image] = task
        try await task.value
    }
}

/// For a test that looks at podman itself, at a published port of this host or at what only podman's runtime keeps: skipped on a cluster.
package struct PodmanOnlyTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if TestCluster.named != nil { try Test.cancel("it looks at podman itself, and the scenarios run on a cluster") }
        try await function()
    }
}

extension Trait where Self == PodmanOnlyTrait {
    /// This test or suite has a meaning on podman alone.
    package static var podmanOnly: Self { Self() }
}
