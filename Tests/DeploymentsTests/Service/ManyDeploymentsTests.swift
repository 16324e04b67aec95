import Compose
import FoundationEssentials
import TestSupport
import Testing

@testable import Deployments
@testable import Runtimes

@Suite(.pods) struct ManyDeploymentsTests {
    private static let count = 50

    /// How long the tasks of this process had to wait for a thread, at most.
    private func pulse() async -> Duration {
        var worst = Duration.zero
        while !Task.isCancelled {
            let before = ContinuousClock.now
            try? await Task.sleep(for: .milliseconds(20))
            worst = max(worst, ContinuousClock.now - before)
        }
        return worst
    }

    private func definition(_ number: Int, _ fixture: MemoryFixture) -> DeploymentDefinition {
        let name = "unit-\(fixture.token)-\(number)"
        return DeploymentDefinition(
            id: name, name: name, owner: "the test \(fixture.token), number \(number)",
            compose: """
                services:
                  one:
                    image: \(fixture.image)
                    pull_policy: never
                    command: ["sleep", "100000"]
                    stop_grace_period: 0s
                """, stateDirectory: "\(fixture.directory)/state-\(number)")
    }

    @Test func `fifty stacks of one process start and stop, ten at a time, and block no thread`() async throws {
        try await withMemoryFixture { fixture in
            let (service, alive) = (fixture.service, Gate(places: 10))
            let watch = Task { await pulse() }
            let begin = ContinuousClock.now
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...Self.count {
                    group.addTask {
                        try await alive.pass { () async throws in
                            let deployment = try service.open(definition(number, fixture))
                            #expect(try await deployment.start().changed)
                            #expect(try await deployment.status().map(\.isReady) == [true])
                            try await deployment.stop()
                        }
                    }
                }
                try await group.waitForAll()
            }
            watch.cancel()
            let (worst, all) = (await watch.value, ContinuousClock.now - begin)
            // A thread that waits for podman is away for seconds, and there are as few of them as processors.
            #expect(worst < .seconds(2), "a task waited \(worst) for a thread")
            print("\(Self.count) deployments in \(all); a task waited \(worst) for a thread at most")
        }
    }
}
