import Dispatch
import Glibc

/// Where a program says that it serves, as those that systemd starts do: the other side of sd_notify(3).
struct ReadinessSocket: Sendable {
    let path: String
    /// An element once the program is ready; ends with ``close()``.
    let notices: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    /// Nil where the path cannot be a socket's.
    init?(_ path: String) {
        let kind = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return nil }
        guard Self.bind(descriptor, to: path) else {
            Glibc.close(descriptor)
            return nil
        }
        self.path = path
        let (notices, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.notices, self.continuation) = (notices, continuation)
        // A source may be used from any thread: https://developer.apple.com/documentation/dispatch/dispatchsource
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { if Self.saysReady(descriptor) { continuation.yield() } }
        source.setCancelHandler { Glibc.close(descriptor) }
        continuation.onTermination = { _ in
            unlink(path)
            source.cancel()
        }
        source.activate()
    }

    func close() { continuation.finish() }

    private static func bind(_ descriptor: Int32, to path: String) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { place in
            guard path.utf8.count < place.count else { return false }
            place.copyBytes(from: path.utf8)
            return true
        }
        return fits
            && withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    Glibc.bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
                }
            }
    }

    private static func saysReady(_ descriptor: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        var isReady = false
        while case let count = recv(descriptor, &buffer, buffer.count, 0), count > 0 {
            let lines = buffer[..<count].split(separator: UInt8(ascii: "\n"))
            if lines.contains(where: { $0.elementsEqual("READY=1".utf8) }) { isReady = true }
        }
        return isReady
    }
}
