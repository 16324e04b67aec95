import Specs

extension [PodStatus] {
    /// The pods with the addresses that lead to them.
    func showing(_ addresses: [RouteAddress]) -> [PodStatus] {
        let urls = Dictionary(grouping: addresses, by: \.service).mapValues { $0.map(\.url) }
        return map { pod in
            var pod = pod
            pod.routes = urls[pod.service] ?? []
            return pod
        }
    }
}

/// Whether a public authority could certify the name.
///
/// https://www.rfc-editor.org/rfc/rfc6761, https://www.rfc-editor.org/rfc/rfc6762
func isPublicName(_ host: String) -> Bool {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    guard let last = labels.last, labels.count > 1, labels[0] != "*", !isAddress(host) else { return false }
    let reserved = ["localhost", "local", "test", "internal", "invalid", "example", "lan", "onion"]
    return !reserved.contains(String(last)) && !host.hasSuffix(".home.arpa")
}
