import Glibc

/// A TCP port of 127.0.0.1 that nobody listens on now. Another program may take it before the caller does; tests that get it from the
/// kernel's range of ephemeral ports hardly ever see that.
package func freePort() throws -> Int {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw NoPort() }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard bound else { throw NoPort() }
    return Int(UInt16(bigEndian: address.sin_port))
}

package struct NoPort: Error {
    package init() {}
}
