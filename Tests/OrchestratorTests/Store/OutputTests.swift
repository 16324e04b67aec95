import Orchestrator
import Testing

/// What is kept of an agent's log.
@Suite struct OutputTests {
    private func bytes(_ pieces: [OutputPiece]) -> Int64 { pieces.reduce(0) { $0 + Int64($1.text.utf8.count) } }

    @Test(arguments: StoreKind.allCases)
    func `a log has a beginning and an end, and says how much is missing between them`(kind: StoreKind) async throws {
        try await withStore(kind) { open in
            let store = try await open()
            let (task, other) = (
                try await store.create(newTask(1), by: "ada").task, try await store.create(newTask(2), by: "ada").task
            )
            let line = String(repeating: "ü", count: 50_000) + "\n"
            let count = 100
            for number in 1...count {
                try await store.append(output: "\(number)\(line)", of: task.id)
                try await store.append(output: "other \(number)\n", of: other.id)
            }
            let kept = try await store.output(of: task.id, after: 0, limit: 1000)
            #expect(kept.first?.text.hasPrefix("1ü") == true && kept.last?.text.hasPrefix("\(count)ü") == true)
            #expect(bytes(kept) <= OutputLimits.beginning + OutputLimits.end + 600_000)
            let whole = (1...count).reduce(0) { $0 + Int64("\($1)\(line)".utf8.count) }
            let gaps = kept.filter { $0.text.hasPrefix("[…") }
            let said = try #require(gaps.first?.text.split(separator: " ").dropFirst().first.flatMap { Int64($0) })
            let mark = Int64(OutputLimits.omission(said).utf8.count)
            #expect(gaps.count == 1 && bytes(kept) - mark + said == whole)
            // Whoever reads on is told once.
            let place = try #require(kept.firstIndex { $0.text.hasPrefix("[…") })
            let rest = try await store.output(of: task.id, after: kept[place - 1].id, limit: 1000)
            #expect(rest.map(\.text) == kept[place...].map(\.text))
            #expect(
                try await store.output(of: task.id, after: kept[place].id, limit: 1)[0].text.hasPrefix("[…") == false)
            #expect(try await store.output(of: other.id, after: 0, limit: 1000).count == count)
        }
    }

    @Test func `a run that is read again goes on where the one before it ended`() async throws {
        try await withStore(.sqlite) { open in
            let store = try await open()
            let task = try await store.create(newTask(1), by: "ada").task
            try await store.append(output: "first\n", of: task.id)
            let mark = try await store.lastOutput(of: task.id)
            for _ in 0..<3 {
                try await store.removeOutput(of: task.id, after: mark)
                try await store.append(output: "second\n", of: task.id)
            }
            #expect(try await store.output(of: task.id, after: 0, limit: 9).map(\.text) == ["first\n", "second\n"])
        }
    }

    @Test func `what comes faster than it can be written is counted`() {
        let events = GatheredEvents()
        events.add(.output(String(repeating: "x", count: GatheredEvents.limit - 1)))
        events.add(.output("yz"))
        events.add(.output("more"))
        let log = events.take().log
        #expect(log.hasSuffix("xy\n" + OutputLimits.omission(5)))
        #expect(events.take().log == "")
    }
}
