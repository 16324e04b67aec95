import Deployments
import Synchronization

extension BuildRun {
    /// Builds the images, a line for each beginning and end; with --verbose their whole output.
    func report(_ global: GlobalOptions) async throws -> BuildStates {
        let states = BuildStates()
        try await run { states.take($0, global) }
        return states
    }
}

/// What became of each image.
final class BuildStates: Sendable {
    private let states = Mutex<[String: String]>([:])

    /// Notes what became of an image, and says it.
    func take(_ event: BuildEvent, _ global: GlobalOptions) {
        switch event {
        case .started(let build): if !global.quiet { Terminal.note("building  \(build.tag)") }
        case .output(let build, let line):
            if global.verbose || global.debug { Terminal.note("\(build.image) | \(line)") }
        case .finished(let build, let changed):
            set(build.tag, changed ? "built" : "unchanged")
            if !global.quiet { Terminal.note("\(changed ? "built    " : "unchanged") \(build.tag)") }
        case .skipped(let build, let reason): Terminal.note("skipped   \(build.tag): \(reason) failed")
        case .failed(let build): Terminal.note("failed    \(build.tag)")
        }
    }

    func set(_ tag: String, _ state: String) { states.withLock { $0[tag] = state } }
    func get(_ tag: String) -> String { states.withLock { $0[tag] ?? "" } }
}
