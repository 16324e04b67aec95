import OrderedCollections
import YAML

extension ServiceDecoder {
    func decodeNetworking(_ fields: inout Fields, _ service: inout Service) {
        service.ports = fields.items("ports").compactMap { decodePort($0, path: "\(fields.path).ports") }
        service.expose = fields.items("expose").flatMap { decodeExposed($0, fields) }
        service.networkMode = fields.string("network_mode")
        service.networks = decodeNetworks(&fields)
        service.links = fields.items("links").compactMap { decodeLink($0, fields, "links") }
        service.externalLinks = fields.items("external_links").compactMap { decodeLink($0, fields, "external_links") }
        service.extraHosts = decodeExtraHosts(&fields)
        service.hostname = fields.string("hostname")
        service.domainname = fields.string("domainname")
        service.dns = fields.strings("dns").filter { !$0.isEmpty }
        service.dnsOpt = fields.strings("dns_opt")
        service.dnsSearch = fields.strings("dns_search")
        service.macAddress = fields.string("mac_address")
    }

    private func decodePort(_ item: Node, path: String) -> PortMapping? {
        guard item.mapping != nil else {
            state.error(
                "`\(path)` has an entry that is neither a text nor a mapping", at: item.mark, hint: "write \"80\"")
            return nil
        }
        var fields = Fields(item, path: path, state: state)
        let target = fields.integer("target", in: 1...65535)
        let published = decodePublished(&fields)
        let transport = fields.choice("protocol", Transport.self) ?? .tcp
        let hostIP = fields.string("host_ip")
        let mode = fields.string("mode")
        let port = target.map { target in
            PortMapping(
                target: Int(target), published: published, transport: transport, hostIP: hostIP,
                name: fields.string("name"), mode: mode, appProtocol: fields.string("app_protocol"), mark: item.mark)
        }
        // Asked for once more where no target was there, so that they do not look unknown.
        if port == nil { _ = (fields.node("name"), fields.node("app_protocol")) }
        fields.finish()
        if target == nil, item.mapping?["target"] == nil {
            state.error("`\(path)` has an entry without a target", at: item.mark, hint: "write the container's port")
        }
        if let hostIP, !hostIP.isEmpty, !AddressText.isValid(hostIP) {
            state.error("`\(path).host_ip`: invalid IP address `\(hostIP)`", at: item.mark, hint: "write an address")
        }
        return port
    }

    private func decodePublished(_ fields: inout Fields) -> ClosedRange<Int>? {
        guard let node = fields.node("published"), let text = fields.text(node, "published"), !text.isEmpty else {
            return nil
        }
        do throws(PortError) {
            let range = try PortSpecification.range(text[...])
            return range == 0...0 ? nil : range
        } catch {
            state.error(
                "`\(fields.path).published`: \(error.description)", at: node.mark,
                hint: "write a port, or a range as \"80-90\"")
            return nil
        }
    }

    private func decodeExposed(_ item: Node, _ fields: Fields) -> [ExposedPort] {
        guard let text = fields.text(item, "expose") else { return [] }
        do throws(PortError) {
            let port = try PortSpecification(text)
            guard !text.utf8.contains(UInt8(ascii: ":")), port.target.count <= LoadState.portLimit else {
                throw PortError.port(text)
            }
            return port.target.map { ExposedPort(port: $0, transport: port.transport, mark: item.mark) }
        } catch {
            state.error(
                "`\(fields.path).expose`: \(error.description)", at: item.mark, hint: "write \"80\" or \"53/udp\"")
            return []
        }
    }

    private func decodeNetworks(_ fields: inout Fields) -> OrderedDictionary<String, ServiceNetwork> {
        var networks: OrderedDictionary<String, ServiceNetwork> = [:]
        for entry in fields.entries("networks") {
            networks[entry.key] = decodeNetwork(entry, path: "\(fields.path).networks.\(entry.key)")
        }
        return networks
    }

    private func decodeNetwork(_ entry: Mapping.Entry, path: String) -> ServiceNetwork {
        let marks = KeyMarks()
        var fields = Fields(entry.value, path: path, state: state, keys: marks)
        var network = ServiceNetwork(mark: entry.keyMark)
        network.aliases = fields.strings("aliases")
        network.interfaceName = fields.string("interface_name")
        network.ipv4Address = fields.string("ipv4_address")
        network.ipv6Address = fields.string("ipv6_address")
        network.linkLocalIPs = fields.strings("link_local_ips")
        network.macAddress = fields.string("mac_address")
        network.driverOpts = fields.map("driver_opts")
        network.priority = fields.integer("priority").flatMap(Int.init(exactly:))
        network.gwPriority = fields.integer("gw_priority").flatMap(Int.init(exactly:))
        fields.finish()
        network.keys = marks.marks
        return network
    }

    private func decodeLink(_ item: Node, _ fields: Fields, _ key: String) -> Link? {
        guard let text = fields.string(item, key) else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else {
            state.error(
                "`\(fields.path).\(key)`: invalid link `\(text)`", at: item.mark, hint: "write NAME or NAME:ALIAS")
            return nil
        }
        return Link(name: parts[0], alias: parts.count > 1 ? parts[1] : nil, mark: item.mark)
    }

    func decodeExtraHosts(_ fields: inout Fields) -> [ExtraHost] {
        let path = fields.path
        return fields.items("extra_hosts").flatMap { item -> [ExtraHost] in
            guard let text = fields.string(item, "extra_hosts") else { return [] }
            let separator: Character = text.contains("=") ? "=" : ":"
            let parts = text.split(separator: separator, maxSplits: 1, omittingEmptySubsequences: false)
            let host = parts[0].filter { $0 != " " }
            guard parts.count == 2, !host.isEmpty, !host.contains(where: { $0 == ":" || $0 == "=" }) else {
                state.error(
                    "`\(path).extra_hosts`: `\(text)` names no address", at: item.mark, hint: "write HOST=ADDRESS")
                return []
            }
            return parts[1].split(separator: ",").compactMap { part in
                let written = part.filter { $0 != " " }
                guard let address = AddressText.unbracketed(written),
                    address == "host-gateway" || AddressText.isValid(address)
                else {
                    state.error(
                        "`\(path).extra_hosts`: invalid IP address `\(written)`", at: item.mark,
                        hint: "write an address or host-gateway")
                    return nil
                }
                return ExtraHost(host: host, address: address, mark: item.mark)
            }
        }
    }
}
