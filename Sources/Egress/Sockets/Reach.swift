import Glibc

/// How a place answered.
package enum Reach: String, Sendable {
    case open
    /// Somebody said no: packets get there.
    case refused
    /// No way there, or nobody answers.
    case closed
}

/// A name that everybody's name server knows: whoever gets an address for it has a way to ask outside. The egress counts it as nobody's wish.
package let probedName = "example.com"

/// `address:port`.
package func dial(_ target: String) -> Reach {
    guard let colon = target.lastIndex(of: ":"), let port = Int(target[target.index(after: colon)...]) else {
        return .closed
    }
    return dial(String(target[..<colon]), port: port, seconds: 1)
}

/// Connects, and waits no longer than told.
package func dial(_ address: String, port: Int, seconds: Int) -> Reach {
    guard let address = IPAddress(address), let port = UInt16(exactly: port) else { return .closed }
    let family = address.bytes.count == 4 ? AF_INET : AF_INET6
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return .closed }
    defer { close(descriptor) }
    let started = withSocketAddress(address, port: port) { connect(descriptor, $0, $1) }
    if started == 0 { return .open }
    guard errno == EINPROGRESS else { return errno == ECONNREFUSED ? .refused : .closed }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
    guard poll(&waiting, 1, Int32(seconds * 1000)) == 1 else { return .closed }
    var failure: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length)
    return failure == 0 ? .open : failure == ECONNREFUSED ? .refused : .closed
}

/// A query of our own, so that no name service of a foreign image is loaded.
///
/// - Parameter text: `name`, `name@server`; `=address` behind it: an answer that leads there alone is none.
package func askName(_ text: String) -> Reach {
    let sides = text.split(separator: "=", maxSplits: 1).map(String.init)
    let own = sides.count > 1 ? IPAddress(sides[1]) : nil
    let parts = (sides.first ?? "").split(separator: "@", maxSplits: 1).map(String.init)
    let servers = parts.count > 1 ? [parts[1]] : systemNameServers()
    let query = question(parts[0])
    return servers.lazy.compactMap { exchange(query, with: $0, own: own) }.contains(true) ? .open : .closed
}

func systemNameServers() -> [String] {
    guard let file = fopen("/etc/resolv.conf", "r") else { return [] }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    var servers: [String] = []
    while fgets(&line, Int32(line.count), file) != nil {
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let words = text.split { $0 == " " || $0 == "\t" || $0 == "\n" }
        if words.first == "nameserver", words.count > 1 { servers.append(String(words[1])) }
    }
    return servers
}

private func question(_ name: String) -> [UInt8] {
    var bytes: [UInt8] = [0x50, 0x4f, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0]
    for label in name.split(separator: ".") { bytes += [UInt8(label.utf8.count & 63)] + Array(label.utf8.prefix(63)) }
    return bytes + [0, 0, 1, 0, 1]
}

/// Whether the answer holds an address, and another one than that; nil where none comes.
private func exchange(_ query: [UInt8], with server: String, own: IPAddress?) -> Bool? {
    guard let address = IPAddress(server) else { return nil }
    let family = address.bytes.count == 4 ? AF_INET : AF_INET6
    let descriptor = socket(family, Int32(SOCK_DGRAM.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    guard withSocketAddress(address, port: 53, { connect(descriptor, $0, $1) }) == 0 else { return nil }
    guard send(descriptor, query, query.count, 0) == query.count else { return nil }
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 2000) == 1 else { return nil }
    var answer = [UInt8](repeating: 0, count: 1500)
    let count = recv(descriptor, &answer, answer.count, 0)
    guard count > 12 else { return nil }
    guard answer[3] & 15 == 0, answer[6] != 0 || answer[7] != 0 else { return false }
    guard let own, let addresses = DNSQuestion.addresses(inAnswer: Array(answer[..<count])) else { return true }
    return addresses.isEmpty || addresses.contains { $0 != own }
}

private func withSocketAddress<Result>(
    _ address: IPAddress, port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result {
    if address.bytes.count == 4 {
        var value = sockaddr_in()
        value.sin_family = sa_family_t(AF_INET)
        value.sin_port = port.bigEndian
        withUnsafeMutableBytes(of: &value.sin_addr) { $0.copyBytes(from: address.bytes) }
        return withUnsafePointer(to: &value) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
    var value = sockaddr_in6()
    value.sin6_family = sa_family_t(AF_INET6)
    value.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &value.sin6_addr) { $0.copyBytes(from: address.bytes) }
    return withUnsafePointer(to: &value) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
    }
}
