import AgentLoop
import Dispatch
import FoundationEssentials
import Glibc

/// What runs beside an agent in its pod, linked statically, since the pod's image is not ours: `run` is the agent's loop, `watch` tells each
/// version of its report, `report` the one that there is.
@main
struct Main {
    static func main() async {
        signal(SIGPIPE, SIG_IGN)
        do {
            exit(try await run(Array(CommandLine.arguments.dropFirst())))
        } catch is CancellationError {
            exit(130)
        } catch {
            put("so-agent: \(error)\n", STDERR_FILENO)
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws -> Int32 {
        switch (arguments.first, arguments.dropFirst().first) {
        case ("run", let file?):
            let environment = ProcessInfo.processInfo.environment
            var assigned = AgentLoop(try LoopConfiguration.read(file), environment: environment) {
                put($0 + "\n", STDOUT_FILENO)
            }
            if arguments.count == 4, arguments[2] == "--tasking" { try assigned.assign(arguments[3]) }
            let loop = assigned
            return try await untilTerminated { try await loop.run() ? 0 : 1 }
        case ("watch", let file?):
            try await ReportWatch(path: file) { put($0, STDOUT_FILENO) }.run()
            return 0
        case ("report", let file?):
            if let line = ReportWatch.Line.current(file) { put(try line.encoded() + "\n", STDOUT_FILENO) }
            return 0
        default:
            put("usage: so-agent run CONFIGURATION [--tasking TEXT] | watch FILE | report FILE\n", STDERR_FILENO)
            return 64
        }
    }

    /// SIGTERM and SIGINT end the CLI too, and leave a report.
    private static func untilTerminated(_ body: @escaping @Sendable () async throws -> Int32) async throws -> Int32 {
        let task = Task { try await body() }
        let sources = [SIGTERM, SIGINT].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { task.cancel() }
            source.resume()
            return source
        }
        defer { sources.forEach { $0.cancel() } }
        return try await task.value
    }

    /// Writes all of it; false where nobody reads any more.
    @discardableResult
    private static func put(_ text: String, _ descriptor: Int32) -> Bool {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }
}
