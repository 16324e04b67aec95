import CLinux
import Dispatch
import Glibc

/// Tells when something in a directory was written or renamed: inotify(7), never a look every second.
package enum DirectoryChanges {
    /// Many changes at once are told once. The stream ends where the directory goes away.
    package static func stream(of directory: String) throws(AtomicFile.Failure) -> AsyncStream<Void> {
        let descriptor = inotify_init1(O_NONBLOCK | O_CLOEXEC)
        let events = UInt32(SO_IN_CLOSE_WRITE | SO_IN_MOVED_TO | SO_IN_DELETE_SELF)
        guard descriptor >= 0, inotify_add_watch(descriptor, directory, events) >= 0 else {
            let reason = String(cString: strerror(errno))
            if descriptor >= 0 { close(descriptor) }
            throw AtomicFile.Failure(description: "cannot watch \(directory): \(reason)")
        }
        // A source may be used from any thread: https://developer.apple.com/documentation/dispatch/dispatchsource
        nonisolated(unsafe) let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            source.setEventHandler {
                drain(descriptor)
                if access(directory, F_OK) == 0 { continuation.yield() } else { continuation.finish() }
            }
            source.setCancelHandler { close(descriptor) }
            continuation.onTermination = { _ in source.cancel() }
            source.resume()
        }
    }

    private static func drain(_ descriptor: Int32) {
        var buffer = [UInt8](repeating: 0, count: 16 << 10)
        while read(descriptor, &buffer, buffer.count) > 0 {}
    }
}
