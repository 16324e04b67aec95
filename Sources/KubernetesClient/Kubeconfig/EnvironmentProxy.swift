import FoundationEssentials

extension ClusterAccess {
    /// The same access through the proxy that the environment names for it, where the kubeconfig names none.
    ///
    /// The rules are those of kubectl: https://pkg.go.dev/golang.org/x/net/http/httpproxy#FromEnvironment
    func proxied(by environment: [String: String]) throws(KubernetesError) -> ClusterAccess {
        let name = scheme == "https" ? "HTTPS_PROXY" : "HTTP_PROXY"
        guard proxy == nil, let value = Self.variable(name, environment), !isLoopback,
            !isExcepted(Self.variable("NO_PROXY", environment) ?? "")
        else { return self }
        var result = self
        result.proxy = try Kubeconfig.proxy(value.contains("://") ? value : "http://\(value)", what: name)
        return result
    }

    private static func variable(_ name: String, _ environment: [String: String]) -> String? {
        (environment[name] ?? environment[name.lowercased()]).flatMap { $0.isEmpty ? nil : $0 }
    }

    private var isLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    private func isExcepted(_ list: String) -> Bool {
        list.split(separator: ",").contains { entry in
            var pattern = entry.lowercased().filter { $0 != " " }
            if pattern == "*" { return true }
            if let slash = pattern.firstIndex(of: "/") {
                return IPv4Network(String(pattern[..<slash]), prefix: String(pattern[pattern.index(after: slash)...]))?
                    .contains(host) ?? false
            }
            if let colon = pattern.lastIndex(of: ":"), !pattern[..<colon].contains(":") {
                guard pattern[pattern.index(after: colon)...] == "\(port)" else { return false }
                pattern = String(pattern[..<colon])
            }
            while pattern.hasPrefix("*") { pattern.removeFirst() }
            let name = host.lowercased()
            if pattern.hasPrefix(".") { return name.hasSuffix(pattern) }
            return !pattern.isEmpty && (name == pattern || name.hasSuffix(".\(pattern)"))
        }
    }
}

/// `10.0.0.0/8`
private struct IPv4Network {
    let base: UInt32
    let mask: UInt32

    init?(_ address: String, prefix: String) {
        guard let base = Self.number(address), let bits = Int(prefix), (0...32).contains(bits) else { return nil }
        mask = bits == 0 ? 0 : UInt32.max << (32 - UInt32(bits))
        self.base = base & mask
    }

    func contains(_ address: String) -> Bool { Self.number(address).map { $0 & mask == base } ?? false }

    private static func number(_ text: String) -> UInt32? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
        guard parts.count == 4 else { return nil }
        return parts.reduce(UInt32?(0)) { sum, part in
            guard let sum, let part else { return nil }
            return sum << 8 | UInt32(part)
        }
    }
}
