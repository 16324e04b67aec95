import Specs
import YAML

/// An amount of CPUs or memory with its text and, where the spec says it, its place.
struct Amount {
    /// In thousandths of a CPU or byte.
    var thousandths: Int64
    var text: String
    var mark: Mark?

    private init(_ quantity: Located<Quantity>) {
        thousandths = quantity.value.thousandths
        text = quantity.value.text
        mark = quantity.mark
    }

    private init(cpus: Double) {
        thousandths = Int64((min(cpus, 1e9) * 1000).rounded(.up))
        text = Quantities.cpus(min(cpus, 1e9))
    }

    private init(bytes: Int64) {
        let (product, overflow) = bytes.multipliedReportingOverflow(by: 1000)
        thousandths = overflow ? .max : product
        text = Quantities.bytes(bytes)
    }

    /// The spec's for the container, else the file's, else the spec's for all.
    static func first(_ exact: Located<Quantity>?, cpus: Double?, _ common: Located<Quantity>?) -> Amount? {
        exact.map { Amount($0) } ?? cpus.map { Amount(cpus: $0) } ?? common.map { Amount($0) }
    }

    static func first(_ exact: Located<Quantity>?, bytes: Int64?, _ common: Located<Quantity>?) -> Amount? {
        exact.map { Amount($0) } ?? bytes.map { Amount(bytes: $0) } ?? common.map { Amount($0) }
    }

    /// Zero is docker's way to say no limit, to Kubernetes it is nothing at all.
    static func atMost(_ limit: Amount?) -> Amount? { limit.flatMap { $0.thousandths > 0 ? $0 : nil } }
}
