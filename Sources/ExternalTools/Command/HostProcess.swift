import CLinux
import Dispatch
package import FoundationEssentials
import Glibc

/// A process of this host.
package enum HostProcess {
    /// Whether it runs. One that has ended and that its parent has not waited for yet does not, although it has its number still.
    package static func runs(_ process: Int32) -> Bool {
        fields(process) != nil
    }

    /// When a process that runs was started; nil where none does.
    package static func begin(of process: Int32) -> Date? {
        // The 22nd field, in ticks since the host's start; the first of these is the third.
        guard let fields = fields(process), fields.count > 19, let ticks = Double(fields[19]) else { return nil }
        var sinceStart = timespec()
        clock_gettime(CLOCK_BOOTTIME, &sinceStart)
        let now = Double(sinceStart.tv_sec) + Double(sinceStart.tv_nsec) * 1e-9
        return Date().addingTimeInterval(ticks / Double(sysconf(Int32(_SC_CLK_TCK))) - now)
    }

    /// What the kernel says of a process that runs, from its state on.
    private static func fields(_ process: Int32) -> [String]? {
        // The name stands in parentheses and may hold some itself; the state follows the last one:
        // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        let stat = status(process)
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = stat[(end + 1)...].split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard let state = fields.first, !["Z", "X"].contains(state) else { return nil }
        return fields
    }

    private static func status(_ process: Int32) -> [UInt8] {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &buffer, buffer.count)
        return Array(buffer.prefix(max(0, count)))
    }

    /// Whether a name of something half done ends with, or is, the number of a process that can go on with it no more. False where it is no number.
    package static func hasEnded(_ number: some StringProtocol) -> Bool { Int32(number).map { !runs($0) } ?? false }

    /// Returns once the process has ended, its time is over or the task is cancelled: pidfd_open(2), never a look every moment.
    ///
    /// - Returns: whether it has ended.
    @discardableResult
    package static func awaitEnd(of process: Int32, within limit: Duration) async -> Bool {
        let descriptor = so_pidfd_open(process)
        // Without one (the process has ended; Linux before 5.3) there is nothing to wait for.
        guard descriptor >= 0 else { return !runs(process) }
        // A source may be used from any thread: https://developer.apple.com/documentation/dispatch/dispatchsource
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        let ends = AsyncStream<Void> { continuation in
            source.setEventHandler { continuation.finish() }
            source.setCancelHandler { close(descriptor) }
            continuation.onTermination = { _ in source.cancel() }
            source.activate()
        }
        _ = try? await withDeadline(limit) { for await _ in ends {} }
        return !runs(process)
    }
}
