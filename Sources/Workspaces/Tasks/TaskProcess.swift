import ExternalTools
import Synchronization

/// One attempt of a task in a pod: a process group of its own there, so that all of it can be ended.
struct TaskProcess: Sendable {
    var pod: any PodShell
    /// Names its file of the process's number in the pod.
    var mark: String
    /// Absolute.
    var directory: String
    var words: [String]
    var environment: [String: String]
    var silenceLimit: Int?

    enum Outcome: Sendable {
        case ended(Int)
        case silent
    }

    /// Runs it to its end, or until it has written nothing for too long; a cancelled call ends it.
    func run(_ output: @escaping @Sendable ([UInt8]) async -> Void) async throws(WorkspaceError) -> Outcome {
        let clock = SilenceClock()
        do {
            return try await withThrowingTaskGroup(of: Outcome.self) { group in
                group.addTask {
                    .ended(
                        try await pod.stream(command, input: []) { _, bytes in
                            clock.heard()
                            await output(bytes)
                        })
                }
                if let silenceLimit {
                    group.addTask {
                        try await clock.wait(.seconds(silenceLimit))
                        return .silent
                    }
                }
                defer { group.cancelAll() }
                let first = try await group.next() ?? .silent
                if case .silent = first { await end() }
                return first
            }
        } catch {
            await end()
            throw error as? WorkspaceError ?? WorkspaceError(.cancelled, "the task was cut short")
        }
    }

    /// The client's end leaves the process in the pod at work. In a task of its own: this one may be cancelled.
    private func end() async {
        let (pod, file) = (pod, file)
        await Task {
            let script =
                "pid=$(cat \"$1\" 2>/dev/null) && kill -s TERM -- \"-$pid\" && timeout 5 tail -s 0.1 --pid=\"$pid\" -f /dev/null; "
                + "kill -s KILL -- \"-$pid\" 2>/dev/null; exit 0"
            _ = try? await pod.capture(["sh", "-c", script, "so-end", file], limit: 4096)
        }.value
    }

    private var file: String { "\(PodPaths.run)/tasks/\(mark).pid" }

    private var command: [String] {
        let script =
            "mkdir -p \"$(dirname \"$1\")\" && cd \"$2\" && file=$1 && shift 2 && "
            + "exec setsid -w sh -c 'echo $$ >\"$0\"; exec \"$@\" 2>&1' \"$file\" \"$@\""
        let variables = environment.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        return ["sh", "-c", script, "so-task", file, directory, "env", "--"] + variables + words
    }
}
