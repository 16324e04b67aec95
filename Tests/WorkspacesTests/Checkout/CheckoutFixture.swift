import ExternalTools
import TestSupport

@testable import Workspaces

/// What stands for a pod: a directory of this host, in which the pod's scripts are run by its `sh` and `git`.
struct LocalShell: PodShell {
    var environment = [
        "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "PATH": "/usr/local/bin:/usr/bin:/bin",
    ]

    func stream(
        _ command: [String], input: [UInt8],
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(WorkspaceError) -> Int {
        var run = Command(
            command[0], Array(command.dropFirst()), host: hostEnvironment, environment: environment, input: input)
        run.inherited = VariableSelection(names: [])
        do {
            return try await run.stream(body)
        } catch {
            throw WorkspaceError(error, "the pod's command failed")
        }
    }
}

/// A pod that prints what a hostile agent would have it print.
struct LyingShell: PodShell {
    var chunks: [[UInt8]]
    /// The last chunk again and again, without an end.
    var isEndless = false
    var status = 0

    func stream(
        _ command: [String], input: [UInt8],
        _ body: @escaping @Sendable (OutputStream, [UInt8]) async throws(CommandFailure) -> Void
    ) async throws(WorkspaceError) -> Int {
        do throws(CommandFailure) {
            for chunk in chunks { try await body(.standardOutput, chunk) }
            while isEndless { try await body(.standardOutput, chunks.last ?? []) }
        } catch {
            throw WorkspaceError(error, "the pod's command was ended")
        }
        return status
    }
}

/// A project with two commits, its stores, and a session of it whose clone is a directory beside it.
struct CheckoutFixture {
    let directory: String
    let source: GitRepository
    let stores: ProjectStores
    let session: SessionID
    let start: StartingPoint
    var shell = LocalShell()

    var base: BaseStore { BaseStore(stores) }
    var collected: CollectedStore { CollectedStore(stores) }
    var checkout: Checkout {
        var checkout = Checkout(session: session, directory: directory + "/pod/project", baseStore: stores.base)
        checkout.startedMark = directory + "/started"
        checkout.places = [directory + "/pod", directory + "/home"]
        return checkout
    }
    /// The session's clone, for what an agent does in it.
    var clone: GitRepository { get async throws { GitRepository(at: checkout.directory) } }

    init(_ directory: String) async throws {
        self.directory = directory
        source = try await GitRepository(directory + "/project")
        try await source.commit(["a.txt": "one\n", "b.txt": "two\n", ".gitignore": "*.log\n"], "first")
        try await source.commit(["a.txt": "one\ntwo\n", "sub/c.txt": "three\n"], "second")
        stores = ProjectStores(state: directory + "/state", projectName: "project-01234567", host: hostEnvironment)
        session = try SessionID.random()
        start = try await ProjectRepository.open(source.directory, host: hostEnvironment).start()
    }

    func project() async throws -> ProjectRepository {
        try await ProjectRepository.open(source.directory, host: hostEnvironment)
    }

    /// Brings the base up and makes the clone.
    func begin() async throws {
        try await base.prepare(session, from: project(), at: start)
        try await checkout.make(
            in: shell, at: start, identity: GitIdentity(name: "Test", email: "test@example.com"),
            references: base.checkoutReferences())
    }

    func collect(_ copied: [String] = []) async throws -> CollectionSummary {
        try await collected.collect(checkout, from: shell, base: start.commit, copied: copied)
    }

    /// A file of what was collected under one of the session's references.
    func collectedFile(_ path: String, at name: String) async throws -> String {
        try await GitRepository.git(in: stores.collected, ["show", "\(session.references)\(name):\(path)"])
    }

    func deliver() async throws -> Delivery { Delivery(session, from: collected, to: try await project()) }
}

func withCheckout(
    isolation: isolated (any Actor)? = #isolation, _ body: (CheckoutFixture) async throws -> Void
) async throws {
    try await withTemporaryDirectory("so-checkout") { try await body(try await CheckoutFixture($0)) }
}
