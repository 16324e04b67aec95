import Compose
import Deployments
import Runtimes
import TestSupport
import Testing

/// What a plan says is what a start with the same options does.
@Suite(.pods) struct StartPlanTests {
    private let forever = "trap 'exit 0' TERM; while :; do sleep 1000 & wait $$!; done"

    private func definition(_ fixture: MemoryFixture, store: String = "1") -> DeploymentDefinition {
        let idle = "image: IMAGE, command: [\"/bin/sh\", \"-c\", \"\(forever)\"], stop_grace_period: 1s"
        return fixture.definition(
            """
            services:
              base: {\(idle)}
              store: {\(idle), environment: {VERSION: "\(store)"}, depends_on: [base]}
              page: {\(idle)}
            """)
    }

    /// Starts, and compares what was planned before with what the start says it does, and with what it does.
    private func start(
        _ deployment: OpenDeployment, _ options: StartOptions = StartOptions()
    ) async throws -> [String: Plan.Action] {
        let plan = try await deployment.plan(options)
        let recorder = Recorder()
        let result = try await deployment.start(options, events: recorder.handler)
        let events = await recorder.events()
        #expect(result.plan == plan.summary)
        let planned = events.compactMap { event in
            if case .planned(let plan) = event.phase { plan } else { nil }
        }
        #expect(planned == [plan.summary])
        let made = Set(events.filter { $0.phase.isChange }.compactMap(\.service))
        let changed = Set(plan.items.filter { $0.action != .keep }.compactMap(\.service))
        #expect(made == changed)
        return Dictionary(plan.items.compactMap { item in item.service.map { ($0, item.action) } }) { $1 }
    }

    @Test func `a plan is what a start with the same options does`() async throws {
        try await withMemoryFixture { fixture in
            let first = try await fixture.service.open(definition(fixture))
            var some = StartOptions()
            some.services = ["store"]
            #expect(try await start(first, some) == ["store": .create, "base": .create])
            #expect(try await start(first) == ["store": .keep, "base": .keep, "page": .create])

            let changed = try await fixture.service.open(definition(fixture, store: "2"))
            some.services = ["page"]
            #expect(try await start(changed, some) == ["page": .keep])
            #expect(try await start(changed) == ["store": .replace, "base": .keep, "page": .keep])
            let restart = try changed.handle.restartOptions(["page"])
            #expect(try await start(changed, restart) == ["page": .replace])

            let plan = try await changed.plan()
            #expect(plan.isEmpty)
            #expect(try await !changed.execute(plan).changed)
            try await changed.stop()
        }
    }

    @Test func `a name that is no service is refused, with the nearest, and nothing is started`() async throws {
        try await withMemoryFixture { fixture in
            let deployment = try await fixture.service.open(definition(fixture))
            var options = StartOptions()
            options.services = ["stor", "page"]
            let error = await #expect(throws: DeploymentError.self) { try await deployment.start(options) }
            #expect(error?.message == "no service named stor" && error?.hint == "did you mean store?")
            await #expect(throws: DeploymentError.self) { try await deployment.plan(options) }
            #expect(try await deployment.status().allSatisfy { $0.state == .absent })
        }
    }
}

extension Event.Phase {
    /// Whether a pod is made or replaced.
    fileprivate var isChange: Bool {
        switch self {
        case .creating, .replacing: true
        default: false
        }
    }
}
