import CLinux
import Dispatch
import Glibc
import SystemPackage

/// This process's end of a pair of sockets, or of a terminal that a program has: read and written without blocking a thread.
///
/// Sockets, not pipes: writing to a pipe whose reader is gone would end this process by SIGPIPE.
final class Descriptor: Sendable {
    private let number: Int32
    private let isSocket: Bool

    private init(_ number: Int32, isSocket: Bool) {
        self.number = number
        self.isSocket = isSocket
        _ = fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK)
    }

    deinit { close(number) }

    /// Two ends that are connected; the far one is the program's.
    static func pair() throws -> (near: Descriptor, far: FileDescriptor) {
        var ends: [Int32] = [0, 0]
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw Errno(rawValue: errno) }
        return (Descriptor(ends[0], isSocket: true), FileDescriptor(rawValue: ends[1]))
    }

    /// A new terminal; the far end is the program's, once for each of its three streams.
    static func terminal(_ size: TerminalSize) throws -> (near: Descriptor, far: [FileDescriptor]) {
        let number = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard number >= 0 else { throw Errno(rawValue: errno) }
        let near = Descriptor(number, isSocket: false)
        var name = [CChar](repeating: 0, count: 128)
        guard grantpt(number) == 0, unlockpt(number) == 0, ptsname_r(number, &name, UInt(name.count)) == 0 else {
            throw Errno(rawValue: errno)
        }
        near.resize(size)
        let far = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard far >= 0 else { throw Errno(rawValue: errno) }
        let others = [fcntl(far, F_DUPFD_CLOEXEC, 0), fcntl(far, F_DUPFD_CLOEXEC, 0)]
        return (near, ([far] + others).map { FileDescriptor(rawValue: $0) })
    }

    func resize(_ size: TerminalSize) {
        var window = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(number, UInt(TIOCSWINSZ), &window)
    }

    /// The other end reads its end; it may go on writing.
    func finishWriting() { shutdown(number, Int32(SHUT_WR)) }

    /// What has come; nil at the end. A terminal's end is an error (EIO) to its reader.
    func read() async throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 32 << 10)
        while true {
            let count = Glibc.read(number, &buffer, buffer.count)
            if count > 0 { return Array(buffer[..<count]) }
            if count == 0 || (errno != EAGAIN && errno != EINTR) { return nil }
            await ready(DispatchSource.makeReadSource(fileDescriptor: number, queue: .global()))
            try Task.checkCancellation()
        }
    }

    /// Writes all of it; false where nobody reads any more.
    func write(_ bytes: [UInt8]) async throws -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { buffer in
                isSocket
                    ? send(number, buffer.baseAddress, buffer.count, Int32(MSG_NOSIGNAL))
                    : Glibc.write(number, buffer.baseAddress, buffer.count)
            }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EINTR {
                await ready(DispatchSource.makeWriteSource(fileDescriptor: number, queue: .global()))
                try Task.checkCancellation()
            } else {
                return false
            }
        }
        return true
    }

    /// Returns once the source has fired, or the task is cancelled.
    private func ready(_ source: any DispatchSourceProtocol) async {
        // A source may be used from any thread: https://developer.apple.com/documentation/dispatch/dispatchsource
        nonisolated(unsafe) let source = source
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                source.setEventHandler { source.cancel() }
                source.setCancelHandler { continuation.resume() }
                source.activate()
            }
        } onCancel: {
            source.cancel()
        }
    }
}
