import Deployments
import Synchronization

extension BuildRun {
    /// Builds the images, a line for each beginning and end; with --verbose their whole output.
    func report(_ global: GlobalOptions) async throws -> BuildStates {
        let states = BuildStates()
        let isLoud = global.verbose || global.debug
        let isQuiet = global.quiet
        try await run { event in
            switch event {
            case .started(let build): if !isQuiet { Terminal.note("building  \(build.tag)") }
            case .output(let build, let line): if isLoud { Terminal.note("\(build.image) | \(line)") }
            case .finished(let build, let changed):
                states.set(build.tag, changed ? "built" : "unchanged")
                if !isQuiet { Terminal.note("\(changed ? "built    " : "unchanged") \(build.tag)") }
            case .skipped(let build, let reason): Terminal.note("skipped   \(build.tag): \(reason) failed")
            case .failed(let build): Terminal.note("failed    \(build.tag)")
            }
        }
        return states
    }
}

/// What became of each image.
final class BuildStates: Sendable {
    private let states = Mutex<[String: String]>([:])

    func set(_ tag: String, _ state: String) { states.withLock { $0[tag] = state } }
    func get(_ tag: String) -> String { states.withLock { $0[tag] ?? "" } }
}
