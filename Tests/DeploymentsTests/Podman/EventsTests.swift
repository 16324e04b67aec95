import ExternalTools
import FoundationEssentials
import TestSupport
import Testing

@testable import Runtimes

@Suite(.pods) struct EventsTests {
    /// Runs a container of a deployment to its end. Of one that is removed as it ends, podman tells the removal always, and the end not always.
    private func run(
        _ deployment: String, _ token: String, by podman: ExternalTools.Podman = Fixture.podman
    ) async throws {
        let image = try await TestSupport.Podman.testImage()
        let label = "\(PodmanNames.deployment)=\(deployment)"
        try await podman.run(
            [
                "run", "--rm", "--network", "none", "--name", "\(token)-\(randomToken())", "--label", label, image,
                "true",
            ])
    }

    private func isHeard(_ count: Int, by lines: Lines) async throws -> Bool {
        try await eventually("\(count) events are heard") { await lines.all.count >= count }
        return await lines.all.count == count
    }

    @Test(arguments: [
        ("2026-11-23T16:18:44.123456789Z", 1_795_450_724), ("2026-11-23T17:18:44.1+01:00", 1_795_450_724),
        ("2026-11-23T16:18:44Z", 1_795_450_724), ("yesterday", nil),
    ])
    func `an event tells its second in every zone`(time: String, second: Int?) throws {
        let event = try #require(PodmanEvent(line: #"{"Name":"n","Status":"died","Time":"\#(time)"}"#))
        #expect(event.second == second)
    }

    @Test func `one podman tells each deployment of its own containers, those before too, whoever leaves`()
        async throws
    {
        let token = "unit-\(randomToken())"
        let (events, since) = (PodmanEvents(), Int(Date().timeIntervalSince1970))
        let (first, second, late, early) = (Lines(), Lines(), Lines(), Lines())
        @Sendable func follow(_ deployment: String, _ since: Int, _ lines: Lines) async {
            await events.follow(Fixture.podman, ["remove"], deployment: "\(token)-\(deployment)", since: since) {
                await lines.add($0.Status)
            }
        }
        let leader = Task { await follow("a", since, first) }
        let follower = Task { await follow("b", since, second) }
        try await run("\(token)-a", token)
        try await run("\(token)-b", token)
        #expect(try await isHeard(1, by: first))
        #expect(try await isHeard(1, by: second))
        #expect(await events.listeners == 1)

        leader.cancel()
        await leader.value
        try await run("\(token)-b", token)
        #expect(try await isHeard(2, by: second))
        #expect(await events.listeners == 2)

        // One who asks for what was heard, and one who asks for what happened before anybody listened.
        let others = [Task { await follow("b", since, late) }, Task { await follow("a", since - 60, early) }]
        #expect(try await isHeard(2, by: late))
        #expect(try await isHeard(1, by: early))
        #expect(await events.listeners == 2)
        for task in others + [follower] { task.cancel() }
        for task in others + [follower] { await task.value }
        #expect(try await TestSupport.Podman.named(token) == [])
    }

    /// A podman whose file of events is begun again after some sixty of them, as podman's own is after a few thousand.
    private func forgetfulPodman(in directory: String) throws -> ExternalTools.Podman {
        var podman = Fixture.podman
        let given = try podman.environment["CONTAINERS_CONF"].map { try String(contentsOfFile: $0, encoding: .utf8) }
        let engine = """
            [engine]
            events_logger = "file"
            events_logfile_path = "\(directory)/events.log"
            events_logfile_max_size = 20000
            """
        let settings = given ?? ""
        let parts = settings.contains("[engine]") ? settings.replacing("[engine]", with: engine) : settings + engine
        let file = directory + "/containers.conf"
        try parts.write(toFile: file, atomically: true, encoding: .utf8)
        podman.environment["CONTAINERS_CONF"] = file
        return podman
    }

    @Test func `no event is missed while podman begins its file of events again`() async throws {
        try await withTemporaryDirectory { directory in
            let podman = try forgetfulPodman(in: "\(directory)")
            let (token, count) = ("unit-\(randomToken())", 24)
            let (events, lines) = (PodmanEvents(period: 3), Lines())
            let since = Int(Date().timeIntervalSince1970)
            let follower = Task {
                await events.follow(podman, ["remove"], deployment: "\(token)-a", since: since) {
                    await lines.add($0.Status)
                }
            }
            for number in 1...count {
                try await run("\(token)-a", token, by: podman)
                // Podman keeps the newer half of its file: so much must not happen before it was read.
                if number.isMultiple(of: 3) { #expect(try await isHeard(number, by: lines)) }
            }
            #expect(try await isHeard(count, by: lines))
            #expect(await events.listeners > 1)
            follower.cancel()
            await follower.value
        }
    }
}
