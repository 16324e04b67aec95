import Glibc

/// The ports of this host.
enum HostPorts {
    /// Whether nothing listens on a port, TCP or UDP, on any address.
    static func isFree(_ port: Int) -> Bool {
        guard let number = UInt16(exactly: port) else { return false }
        return [SOCK_STREAM, SOCK_DGRAM].allSatisfy { canBind(number, type: Int32($0.rawValue)) }
    }

    private static func canBind(_ port: UInt16, type: Int32) -> Bool {
        let descriptor = socket(AF_INET, type | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return true }
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0
    }
}
