import Glibc

/// The addresses of this pod, without loopback.
package func ownAddresses() -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var result: [String] = []
    var next = list
    while let entry = next?.pointee {
        next = entry.ifa_next
        guard let address = entry.ifa_addr, address.pointee.sa_family == sa_family_t(AF_INET) else { continue }
        let text = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
            withUnsafeBytes(of: pointer.pointee.sin_addr) { IPAddress(bytes: Array($0)).description }
        }
        if !text.hasPrefix("127.") { result.append(text) }
    }
    return result
}

/// The addresses of a name, as the system knows them; blocks.
package func lookUp(_ name: String) -> [String] {
    if let address = IPAddress(name) { return [address.description] }
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var result: [String] = []
    var next = list
    while let entry = next?.pointee {
        next = entry.ai_next
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let code = getnameinfo(
            entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, Int32(NI_NUMERICHOST))
        guard code == 0 else { continue }
        result.append(String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }
    return result
}
