import Compose
import OrderedCollections
import YAML

extension ExternalService {
    private static let table = SpecTable<ExternalService>([
        SpecKey("host", optional: \.host, .text(.hostName), "a DNS name"),
        SpecKey("ip", optional: \.address, .text(.address), "an address"),
        SpecKey("selector", optional: \.labels, .map(.nonEmpty, .text), "labels of the pods that answer"),
        SpecKey("namespace", optional: \.namespace, .text(.label), "the namespace of those pods"),
        SpecKey("port", \.port, .integer(1...65535), "the port; 443 by default"),
    ])

    fileprivate static let format = ValueFormat<ExternalService>.record(table) {
        ExternalService(destination: .selector([:], namespace: nil), mark: $0)
    }

    private var host: String? {
        get {
            guard case .host(let host) = destination else { return nil }
            return host
        }
        set { if let newValue { destination = .host(newValue) } }
    }

    private var address: String? {
        get {
            guard case .address(let address) = destination else { return nil }
            return address
        }
        set { if let newValue { destination = .address(newValue) } }
    }

    private var labels: OrderedDictionary<String, String>? {
        get {
            guard case .selector(let labels, _) = destination else { return nil }
            return labels
        }
        set { if let newValue { destination = .selector(newValue, namespace: namespace) } }
    }

    private var namespace: String? {
        get {
            guard case .selector(_, let namespace) = destination else { return nil }
            return namespace
        }
        set { if let labels { destination = .selector(labels, namespace: newValue) } }
    }
}

extension ValueFormat where Value == OrderedDictionary<String, ExternalService> {
    /// By name: one of host, ip and selector, each with its own keys.
    static var externalServices: ValueFormat {
        map(.name, ExternalService.format.shape) { entry, diagnostics in
            let given = ["host", "ip", "selector"].filter { entry.value.value($0) != nil }
            if given.count != 1 {
                let found = given.isEmpty ? "none" : given.joined(separator: " and ")
                diagnostics.error(
                    "external-services.\(entry.key) needs one of host, ip and selector, and has \(found)",
                    at: entry.keyMark)
            }
            if entry.value.value("namespace") != nil, given != ["selector"] {
                diagnostics.error(
                    "external-services.\(entry.key): 'namespace' goes with 'selector' only", at: entry.keyMark)
            }
            guard !given.isEmpty, var service = ExternalService.format.decode(entry.value, &diagnostics) else {
                return nil
            }
            service.mark = entry.keyMark
            return service
        } encode: {
            ExternalService.format.encode($0)
        }
    }
}
