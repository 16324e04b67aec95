import Compose
import Rendering
import Synchronization
import TestSupport
import Testing

@testable import Deployments
@testable import Runtimes

@Suite(.pods) struct ManyDeploymentsTests {
    private static let (batches, atOnce) = (5, 10)

    /// Ready only once the file is there.
    private func definition(_ name: String, _ fixture: MemoryFixture) -> DeploymentDefinition {
        let name = "unit-\(fixture.token)-\(name)"
        var definition = DeploymentDefinition(
            id: name, name: name, owner: "the test \(name)",
            compose: """
                services:
                  one:
                    image: \(fixture.image)
                    pull_policy: never
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                    volumes: ["\(fixture.directory)/gates:/gates:ro"]
                    healthcheck: {test: [CMD, test, -e, "/gates/\(name)"], interval: 1s, retries: 1000}
                """, stateDirectory: "\(fixture.directory)/\(name)")
        definition.allowedPaths = ["\(fixture.directory)/gates"]
        return definition
    }

    /// There are as many threads as processors. A start that kept one while it waits would leave none for the tenth start, and this one alone lets
    /// all of them become ready.
    @Test func `fifty stacks of one process start and stop, ten at a time, and block no thread`() async throws {
        try await withMemoryFixture { fixture in
            try Files.makeDirectory(fixture.directory + "/gates")
            let service = fixture.service
            let begin = ContinuousClock.now
            for batch in 1...Self.batches {
                let started = Barrier(Self.atOnce)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 1...Self.atOnce {
                        let name = "\(batch)-\(number)"
                        group.addTask {
                            let deployment = try await service.open(definition(name, fixture))
                            let result = try await deployment.start { event in
                                if case .started = event.phase { started.arrive(event.service ?? "", of: name) }
                            }
                            #expect(result.changed)
                            #expect(try await deployment.status().map(\.isReady) == [true])
                            try await deployment.stop()
                        }
                    }
                    group.addTask {
                        await started.all()
                        for number in 1...Self.atOnce {
                            let name = "unit-\(fixture.token)-\(batch)-\(number)"
                            try write("", to: "\(fixture.directory)/gates/\(name)")
                        }
                    }
                    try await group.waitForAll()
                }
            }
            print("\(Self.batches * Self.atOnce) deployments in \(ContinuousClock.now - begin)")
        }
    }
}

/// Where tasks say that they have come, and one waits for all of them.
private final class Barrier: Sendable {
    private let missing: Mutex<(count: Int, seen: Set<String>)>
    private let full = AsyncStream.makeStream(of: Void.self)

    init(_ count: Int) { missing = Mutex((count, [])) }

    func arrive(_ service: String, of name: String) {
        let isFull = missing.withLock { state in
            if state.seen.insert("\(name) \(service)").inserted { state.count -= 1 }
            return state.count == 0
        }
        if isFull { full.continuation.finish() }
    }

    func all() async { for await _ in full.stream {} }
}
