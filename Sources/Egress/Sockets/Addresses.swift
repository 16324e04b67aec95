import SystemNetwork

/// The addresses of this pod, without loopback.
package func ownAddresses() -> [String] {
    hostAddresses().filter { !$0.contains(":") && !$0.hasPrefix("127.") }
}

/// The addresses of a name, as the system knows them; blocks.
package func lookUp(_ name: String) -> [String] {
    if let address = IPAddress(name) { return [address.description] }
    return systemAddresses(of: name)
}
