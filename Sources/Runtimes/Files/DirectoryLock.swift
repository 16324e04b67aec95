import Dispatch
import Glibc
import Synchronization

/// One command at a time on one deployment.
///
/// The lock is the kernel's (`flock`), so that of a dead process is gone with it; the file's text only tells who holds it.
package struct DirectoryLock: ~Copyable, Sendable {
    private let descriptor: Int32
    /// Whether the lock is ours: one who gave up waiting must not wipe the holder's name.
    private var isHeld = false

    private init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit {
        // The text goes first: a reader that finds the file free must not read the name of a holder that is gone.
        if isHeld { ftruncate(descriptor, 0) }
        close(descriptor)
    }

    /// Takes the lock, waiting for whoever holds it.
    ///
    /// - Parameters:
    ///   - path: the lock file; it is created and never removed, so that two openers always meet on one inode.
    ///   - holder: what the next in line is told, such as `so deployment start (pid 4711)`.
    ///   - waiting: called once with the holder's text if the lock is taken.
    package static func acquire(
        path: String, holder: String, waiting: @Sendable (String) -> Void
    ) async throws -> DirectoryLock {
        // Close-on-exec, or the monitors that podman leaves behind would hold the lock for ever.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            throw DeploymentError(errno: errno, "cannot open the lock \(path)")
        }
        var lock = DirectoryLock(descriptor: descriptor)
        if flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            waiting(text(of: descriptor))
            try await lock.wait(path: path)
        }
        lock.sign(holder)
        return lock
    }

    /// Blocks a thread of its own, not a task's: dozens of deployments may wait in one process.
    private func wait(path: String) async throws {
        // A duplicate shares the lock; a cancelled wait leaves it to the thread, which lets go as soon as it gets it.
        let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        let outcome = Outcome()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                outcome.await(continuation)
                DispatchQueue.global().async {
                    var result = flock(duplicate, LOCK_EX)
                    while result != 0 && errno == EINTR { result = flock(duplicate, LOCK_EX) }
                    let code = result == 0 ? 0 : errno
                    close(duplicate)
                    outcome.resume(returning: code)
                }
            }
        } onCancel: {
            outcome.resume(returning: ECANCELED)
        }
        try Task.checkCancellation()
        guard result == 0 else {
            throw DeploymentError(errno: result, "cannot lock \(path)")
        }
    }

    private mutating func sign(_ holder: String) {
        isHeld = true
        ftruncate(descriptor, 0)
        let bytes = Array(holder.utf8)
        pwrite(descriptor, bytes, bytes.count, 0)
    }

    private static func text(of descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = pread(descriptor, &buffer, buffer.count, 0)
        let text = count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : ""
        return text.isEmpty ? "another command" : text
    }
}

/// The first of two results, for one waiter.
private final class Outcome: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<Int32, Never>)
        case done(Int32)
    }

    private let state = Mutex(State.idle)

    func await(_ continuation: CheckedContinuation<Int32, Never>) {
        let early: Int32? = state.withLock { state in
            if case .done(let result) = state { return result }
            state = .waiting(continuation)
            return nil
        }
        if let early { continuation.resume(returning: early) }
    }

    func resume(returning result: Int32) {
        let waiter: CheckedContinuation<Int32, Never>? = state.withLock { state in
            guard case .waiting(let continuation) = state else {
                if case .idle = state { state = .done(result) }
                return nil
            }
            state = .done(result)
            return continuation
        }
        waiter?.resume(returning: result)
    }
}
