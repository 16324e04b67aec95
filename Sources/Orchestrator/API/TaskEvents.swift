import FoundationEssentials

/// A task's output, activity and state as server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html
struct TaskEvents: Sendable {
    let store: SQLStore

    /// How far a reader has come: the `id` of its last event, `<activity>-<output>`.
    private struct Place {
        var activity: Int64 = 0
        var output: Int64 = 0
        var state: TaskState?

        init(_ text: String?) {
            let numbers = (text ?? "").split(separator: "-").compactMap { Int64($0) }
            if numbers.count == 2 { (activity, output) = (numbers[0], numbers[1]) }
        }

        var text: String { "\(activity)-\(output)" }
    }

    func response(_ task: IssueTask, resume: String?) -> WebResponse {
        WebResponse { write in
            let changes = try await store.changes(of: task.id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                let alarm = Alarm()
                group.addTask {
                    for await _ in changes { alarm.ring() }
                }
                group.addTask {
                    // A proxy ends a connection on which nothing comes; and a peer that is gone is found by writing.
                    while true {
                        try await Task.sleep(for: .seconds(20))
                        try await write(": \n\n")
                    }
                }
                group.addTask {
                    var place = Place(resume)
                    for await _ in alarm.rings { try await send(task.id, &place, write) }
                }
                defer { group.cancelAll() }
                try await group.next()
            }
        }
    }

    private func send(_ id: Int64, _ place: inout Place, _ write: @Sendable (String) async throws -> Void) async throws
    {
        let task = try await store.task(id)
        while true {
            let pieces = try await store.output(of: id, after: place.output, limit: 1000)
            // Written as one: a reader who falls behind by many writes is let go.
            let events = try pieces.map { piece in
                place.output = piece.id
                return try event("output", piece, place)
            }
            if !events.isEmpty { try await write(events.joined()) }
            if pieces.count < 1000 { break }
        }
        for activity in try await store.activity(of: id, after: place.activity, limit: 1000) {
            place.activity = activity.id
            try await write(try event("activity", activity, place))
        }
        guard place.state != task.state else { return }
        place.state = task.state
        try await write(try event("state", TaskView(task), place))
    }

    /// JSON has no line break in it.
    private func event(_ name: String, _ value: some Encodable, _ place: Place) throws -> String {
        "id: \(place.text)\nevent: \(name)\ndata: \(String(decoding: try APIJSON.encoder().encode(value), as: UTF8.self))\n\n"
    }
}
