import YAML

extension ItemIdentity {
    /// What stands for the item when it is compared; nil for a malformed one.
    func key(of item: Node) -> String? {
        switch self {
        case .text: return item.text
        case .path: return item.mapping?["path"]?.text
        case .target: return (item.mapping?["target"]?.text ?? item.mapping?["source"]?.text).map(normalizedPath)
        case .mountPoint: return item.text.map { normalizedPath(String($0.prefix { $0 != ":" })) }
        case .fileTarget(let prefix):
            guard let mapping = item.mapping, let target = (mapping["target"] ?? mapping["source"])?.text else {
                return nil
            }
            return target.hasPrefix("/") ? target : "\(prefix)/\(target)"
        case .port:
            guard let mapping = item.mapping, let target = mapping["target"]?.text else { return nil }
            let host = mapping["host_ip"]?.text ?? "0.0.0.0"
            let published = mapping["published"]?.text ?? ""
            let transport = mapping["protocol"]?.text ?? "tcp"
            return "\(host)|\(published)|\(target)|\(transport.lowercased())"
        }
    }
}
