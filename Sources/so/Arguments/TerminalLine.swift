import Dispatch
import Glibc

/// A line that a user types, awaited so that an interrupt ends the wait.
enum TerminalLine {
    /// - Returns: nil where the input has ended.
    /// - Throws: `CancellationError` where the command was interrupted meanwhile.
    static func read() async throws -> String? {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return readLine() }
        let (woken, wake) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        defer {
            close(woken)
            close(wake)
        }
        let hasInput = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
                DispatchQueue.global().async { continuation.resume(returning: isTyped(orWoken: woken)) }
            }
        } onCancel: {
            _ = write(wake, [1], 1)
        }
        guard hasInput else { throw CancellationError() }
        return readLine()
    }

    /// Blocks until there is input, or somebody writes into the pipe.
    private static func isTyped(orWoken pipe: Int32) -> Bool {
        var waits = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: pipe, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&waits, nfds_t(waits.count), -1) < 0 && errno == EINTR {}
        return waits[1].revents == 0
    }
}
