import Deployments

extension BuildEvent {
    /// Says what becomes of an image: a line for each beginning and end, with --verbose the whole output.
    func note(_ global: GlobalOptions) {
        switch self {
        case .started(let build): if !global.quiet { Terminal.note("building  \(build.tag)") }
        case .output(let build, let line):
            if global.verbose || global.debug { Terminal.note("\(build.image) | \(line)") }
        case .finished(let build, let changed):
            if !global.quiet { Terminal.note("\(changed ? "built    " : "unchanged") \(build.tag)") }
        case .skipped(let build, let reason): Terminal.note("skipped   \(build.tag): \(reason) failed")
        case .failed(let build): Terminal.note("failed    \(build.tag)")
        }
    }
}
