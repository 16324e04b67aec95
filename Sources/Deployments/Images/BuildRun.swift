import ExternalTools
import Runtimes
import Synchronization
import YAML

/// What becomes of builds, for progress only; called from several tasks.
package enum BuildEvent: Hashable, Sendable {
    case started(ImageBuild)
    case output(ImageBuild, String)
    /// `changed` tells whether the engine has another image under the tag than before.
    case finished(ImageBuild, changed: Bool)
    /// It was not tried, because an image that it builds on failed.
    case skipped(ImageBuild, because: String)
    case failed(ImageBuild)
}

/// Builds images in the order of what they build on, several at a time.
package struct BuildRun: Sendable {
    package var builds: [ImageBuild]
    package var engine: ImageEngine
    /// Where each build's whole output is kept, as `<image>.log`; absolute.
    package var logDirectory: String
    package var width = 3

    package init(_ builds: [ImageBuild], engine: ImageEngine, logDirectory: String) {
        self.builds = builds
        self.engine = engine
        self.logDirectory = logDirectory
    }

    /// By index, the builds that must be done before.
    var order: [[Int]] {
        builds.indices.map { index in
            let build = builds[index]
            return builds.indices.filter { other in
                guard other != index else { return false }
                // A script may need whatever the stack lists before it.
                if build.isScript { return other < index }
                return build.bases.contains { Self.isSame($0, builds[other].tag) }
            }
        }
    }

    private static func isSame(_ base: String, _ tag: String) -> Bool {
        base == tag || base == "localhost/" + tag || base + ":latest" == tag || base == tag + ":latest"
    }

    /// - Throws: ``DeploymentError`` (`failed`) with the last lines of every build that failed; `unsupported` where builds wait for each other.
    package func run(events: @escaping @Sendable (BuildEvent) -> Void) async throws {
        try Files.makeDirectory(logDirectory)
        try refuseCycle()
        let order = order
        var state = State(count: builds.count)
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            var running = 0
            while true {
                for index in builds.indices where running < width && state.isReady(index, order[index]) {
                    state.outcomes[index] = .running
                    running += 1
                    group.addTask { (index, try await run(builds[index], events: events)) }
                }
                for index in builds.indices {
                    guard let failed = state.obstacle(index, order[index]) else { continue }
                    state.outcomes[index] = .skipped
                    events(.skipped(builds[index], because: builds[failed].tag))
                }
                guard let (index, outcome) = try await group.next() else {
                    if state.outcomes.allSatisfy({ $0 != nil }) { return }
                    continue
                }
                running -= 1
                state.outcomes[index] = outcome
            }
        }
        let reasons = state.outcomes.compactMap { outcome -> String? in
            if case .failed(let reason) = outcome { reason } else { nil }
        }
        guard reasons.isEmpty else { throw DeploymentError(.failed, reasons.joined(separator: "\n")) }
    }

    private enum Outcome: Hashable {
        case running
        case done
        case skipped
        case failed(String)
    }

    private struct State {
        var outcomes: [Outcome?]

        init(count: Int) { outcomes = Array(repeating: nil, count: count) }

        func isReady(_ index: Int, _ needs: [Int]) -> Bool {
            outcomes[index] == nil && needs.allSatisfy { outcomes[$0] == .done }
        }

        /// What a build needs and cannot have any more.
        func obstacle(_ index: Int, _ needs: [Int]) -> Int? {
            guard outcomes[index] == nil else { return nil }
            return needs.first { need in
                switch outcomes[need] {
                case .failed, .skipped: true
                default: false
                }
            }
        }
    }

    private func refuseCycle() throws {
        let order = order
        var done: Set<Int> = []
        while done.count < builds.count {
            let next = builds.indices.filter { !done.contains($0) && order[$0].allSatisfy(done.contains) }
            if next.isEmpty {
                let names = builds.indices.filter { !done.contains($0) }.map { builds[$0].tag }.joined(separator: ", ")
                throw DeploymentError(
                    .unsupported, "these images build on each other: \(names)", hint: "break the circle")
            }
            done.formUnion(next)
        }
    }

    private func run(_ build: ImageBuild, events: @escaping @Sendable (BuildEvent) -> Void) async throws -> Outcome {
        events(.started(build))
        let before = try await engine.imageID(build.tag)
        let log = BuildLog()
        let status: Int
        do {
            status = try await build.command.lines { _, line throws(CommandFailure) in
                log.append(line)
                events(.output(build, line))
            }
        } catch {
            if error.code == .cancelled { throw error }
            events(.failed(build))
            return .failed(
                DeploymentError(
                    .unavailable, "the build of \(build.image) could not run", cause: error.description,
                    hint: "is \(build.command.program) there, and executable?"
                ).description)
        }
        let file =
            "\(logDirectory)/\(build.tag.map { $0 == "/" || $0 == ":" ? "-" : $0 }.map(String.init).joined()).log"
        try Files.write(Array(log.text.utf8), to: file)
        guard status == 0 else {
            events(.failed(build))
            let lines = log.tail.map { "\n  | \($0)" }.joined()
            return .failed(
                "the build of \(build.image) ended with exit code \(status)\(lines)\n  command: \(build.command)\n  all of it: \(file)"
            )
        }
        let after = try await engine.imageID(build.tag)
        guard after != nil else {
            events(.failed(build))
            return .failed(
                "\(build.command) succeeded and left no image \(build.tag)"
                    + hintLine("the build script must make the tag $SO_CONTAINER_TAG"))
        }
        events(.finished(build, changed: before != after))
        return .done
    }
}

/// All that a build said.
private final class BuildLog: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ line: String) { lines.withLock { $0.append(line) } }

    var text: String { lines.withLock { $0.map { $0 + "\n" }.joined() } }
    var tail: [String] { lines.withLock { $0.suffix(40) } }
}
