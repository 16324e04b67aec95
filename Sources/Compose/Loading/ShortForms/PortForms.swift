import YAML

/// `[[IP:]HOST[-R]:]CONTAINER[-R][/PROTOCOL]`.
struct PortSpecification {
    let hostIP: String?
    let published: ClosedRange<Int>?
    let target: ClosedRange<Int>
    let transport: Transport

    /// Reads a short form; throws what is wrong with it.
    init(_ text: String) throws(PortError) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let container = parts.removeLast()
        let host = parts.popLast() ?? ""
        let address = parts.joined(separator: ":")
        let pieces = container.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let name = pieces.count > 1 ? pieces[1].lowercased() : ""
        guard let transport = name.isEmpty ? .tcp : Transport(rawValue: name) else { throw .transport(name) }
        guard let first = pieces.first, !first.isEmpty else { throw .noPort }
        let target = try PortSpecification.range(first)
        guard target.lowerBound > 0 else { throw .port(String(first)) }
        let published = host.isEmpty ? nil : try PortSpecification.range(host)
        if let published, target.count > 1, published.count != target.count { throw .ranges }
        if address.isEmpty {
            hostIP = nil
        } else {
            guard let plain = AddressText.unbracketed(address), AddressText.isValid(plain) else {
                throw .address(address)
            }
            hostIP = plain
        }
        self.target = target
        self.published = published == 0...0 ? nil : published
        self.transport = transport
    }

    /// `80` or `80-90`.
    static func range(_ text: Substring) throws(PortError) -> ClosedRange<Int> {
        let bounds = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let low = bounds.first.flatMap(number), let high = bounds.last.flatMap(number), low <= high else {
            throw .port(String(text))
        }
        return low...high
    }

    private static func number(_ text: Substring) -> Int? {
        guard (1...5).contains(text.utf8.count), text.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return Int(text).flatMap { $0 <= 65535 ? $0 : nil }
    }
}

/// What is wrong with a port.
enum PortError: Error, Hashable {
    case noPort
    case port(String)
    case transport(String)
    case address(String)
    case ranges

    var description: String {
        switch self {
        case .noPort: "no port of the container"
        case .port(let text): "invalid port or range of ports `\(text)`"
        case .transport(let name): "`\(name)` is neither tcp, udp nor sctp"
        case .address(let text): "invalid IP address `\(text)`"
        case .ranges: "the two ranges differ in length"
        }
    }
}

extension LoadState {
    /// How many ports one project may publish: a range is expanded, and a hostile one would fill the memory.
    static let portLimit = 20_000

    /// The long forms of an entry of `ports`, one for each port of the container.
    func canonicalPort(_ item: Node, path: String) -> [Node] {
        guard let text = item.text, !item.isNull else {
            guard var mapping = item.mapping, let name = mapping["protocol"]?.text else { return [item] }
            mapping["protocol"] = Node.string(name.lowercased(), mark: mapping["protocol"]?.mark ?? item.mark)
            return [Node(.mapping(mapping), mark: item.mark)]
        }
        if refusesSecret(text, in: "`\(path)`", at: item.mark) { return [] }
        do throws(PortError) {
            return longForms(try PortSpecification(text), at: item.mark, path: path)
        } catch {
            // A variable may stand there.
            guard options.interpolates else { return [item] }
            self.error(
                "`\(path)`: \(error.description) in `\(text)`", at: item.mark,
                hint: "write [[IP:]HOST:]CONTAINER[/tcp|udp|sctp], such as \"8080:80\"")
            return []
        }
    }

    private func longForms(_ port: PortSpecification, at mark: Mark, path: String) -> [Node] {
        expandedPorts += port.target.count
        guard expandedPorts <= Self.portLimit else {
            error(
                "`\(path)`: the project publishes more than \(Self.portLimit) ports", at: mark,
                hint: "publish fewer, or use network_mode: host")
            return []
        }
        return port.target.map { target in
            var fields = [("target", Node.plain(String(target), mark: mark))]
            if let published = port.published {
                let offset = target - port.target.lowerBound
                let isRange = port.target.count == 1 && published.count > 1
                let text =
                    isRange ? "\(published.lowerBound)-\(published.upperBound)" : "\(published.lowerBound + offset)"
                fields.append(("published", .string(text, mark: mark)))
            }
            if let hostIP = port.hostIP { fields.append(("host_ip", .string(hostIP, mark: mark))) }
            fields.append(("protocol", .string(port.transport.rawValue, mark: mark)))
            let entries = fields.map { Mapping.Entry(key: $0.0, keyMark: mark, value: $0.1) }
            return Node(.mapping(Mapping(entries)), mark: mark)
        }
    }
}
