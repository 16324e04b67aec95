import ArgumentParser
import Workspaces
import YAML

/// What became of a session's work, in words.
struct SessionReport {
    private let end: SessionEnd

    init(_ end: SessionEnd) { self.end = end }

    /// - Throws: ``ExitCode`` 1 where the work did not go where it was to go.
    func print(_ global: GlobalOptions) throws {
        if !global.quiet, let line { Terminal.note(line) }
        for note in end.record.collected?.notes ?? [] where !global.quiet { Terminal.note("note: \(printable(note))") }
        for problem in end.problems { Terminal.note("error: \(printable(problem))") }
        if isIncomplete || !end.problems.isEmpty { throw ExitCode(1) }
    }

    private var id: SessionID { end.record.id }

    private var isIncomplete: Bool {
        switch end.outcome {
        case .conflicts, .notMerged: true
        case nil, .nothing, .kept, .merged: false
        }
    }

    private var line: String? {
        switch end.outcome {
        case nil where end.record.onExit == .discard && end.record.collected != nil:
            "session \(id) is discarded; so keeps its work for 30 days: so session finish \(id) --on-exit keep"
        case nil: nil
        case .nothing: "session \(id) changed nothing"
        case .kept(let place): "the work of session \(id) is on \(place)\nhint: git merge \(place)"
        case .merged(let branch, let commit, _): "session \(id) is merged into \(branch) (\(commit.prefix(12)))"
        case .conflicts(let place, let files):
            "error: session \(id) conflicts in \(files.map { printable($0) }.joined(separator: ", "))"
                + "\nhint: its work is on \(place): git merge \(place)"
        case .notMerged(let place, let reason):
            "error: session \(id) is not merged: \(printable(reason))\nhint: its work is on \(place): git merge \(place)"
        }
    }
}
