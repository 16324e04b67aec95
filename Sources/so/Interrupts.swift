import ArgumentParser
import Dispatch
import ExternalTools
import Glibc
import Runtimes
import Synchronization

/// SIGINT, SIGTERM and SIGHUP (the terminal went away) end a command between two steps, so that the same command continues from there.
enum Interrupts {
    /// Parses and runs a command; the first signal cancels it, a second ends the process at once.
    ///
    /// - Throws: what the command throws, or ``Interrupted`` when a signal ended it.
    static func run(_ arguments: [String]) async throws {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await observed(arguments)
                return false
            }
            group.addTask {
                for await _ in signals() { return true }
                return false
            }
            let interrupted = try await group.next() ?? false
            group.cancelAll()
            guard interrupted else { return }
            guard !isFollowing(arguments), !following.withLock({ $0 }) else {
                while await group.nextResult() != nil {}
                throw ExitCode(130)
            }
            Terminal.note("interrupted: finishing the step under way; once more to stop at once")
            do {
                while try await group.next() != nil {}
            } catch is CancellationError {
            } catch let error as DeploymentError where error.code == .cancelled {
            } catch let error as CommandFailure where error.code == .cancelled {}
            throw Interrupted()
        }
    }

    private static let following = Mutex(false)

    /// From now on, an interrupt is how the command is meant to end.
    static func beginFollowing() { following.withLock { $0 = true } }

    /// Whether an interrupt is how the command is meant to end: there is nothing to finish, and nothing to say.
    private static func isFollowing(_ arguments: [String]) -> Bool {
        guard let noun = arguments.first else { return false }
        if ["logs", "exec", "run"].contains(noun) { return true }
        guard let verb = arguments.dropFirst().first else { return false }
        return ["deployment", "deploy"].contains(noun) && ["logs", "exec", "port-forward"].contains(verb)
    }

    /// Runs the command; with `--debug`, every program that it starts is printed.
    private static func observed(_ arguments: [String]) async throws {
        guard arguments.prefix(while: { $0 != "--" }).contains("--debug") else {
            return try await parseAndRun(arguments)
        }
        let observer = CommandObserver { Terminal.note("+ \($0)") }
        try await CommandObserver.$current.withValue(observer) { try await parseAndRun(arguments) }
    }

    private static func parseAndRun(_ arguments: [String]) async throws {
        var command = try So.parseAsRoot(arguments)
        if var asynchronous = command as? any AsyncParsableCommand {
            try await asynchronous.run()
        } else {
            try command.run()
        }
    }

    private static func signals() -> AsyncStream<Void> {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let seen = Counter()
        // They live as long as the process: a second signal must still end it.
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if seen.next() > 1 { _exit(130) }
                continuation.yield()
            }
            source.resume()
            return source
        }
        return stream
    }

    /// Written once, before the command begins.
    nonisolated(unsafe) private static var sources: [any DispatchSourceSignal] = []
}

/// The command was interrupted: exit code 130.
struct Interrupted: Error {}
