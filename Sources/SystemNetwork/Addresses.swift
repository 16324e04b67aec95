import Glibc

/// The addresses of this host's interfaces, loopback too.
package func hostAddresses() -> [String] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var result: [String] = []
    var next = list
    while let interface = next?.pointee {
        next = interface.ifa_next
        guard let address = interface.ifa_addr else { continue }
        let family = Int32(address.pointee.sa_family)
        guard family == AF_INET || family == AF_INET6 else { continue }
        let length = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        if let text = text(address, socklen_t(length)) { result.append(text) }
    }
    return result
}

/// The addresses of a name, as the system knows them, each once; none where it has none. It blocks.
package func systemAddresses(of name: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var result: [String] = []
    var next = list
    while let entry = next?.pointee {
        next = entry.ai_next
        if let text = text(entry.ai_addr, entry.ai_addrlen), !result.contains(text) { result.append(text) }
    }
    return result
}

/// An address as a number, without the interface that it belongs to.
private func text(_ address: UnsafeMutablePointer<sockaddr>?, _ length: socklen_t) -> String? {
    guard let address else { return nil }
    var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(address, length, &buffer, socklen_t(buffer.count), nil, 0, Int32(NI_NUMERICHOST)) == 0 else {
        return nil
    }
    let text = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(text.prefix { $0 != "%" })
}
