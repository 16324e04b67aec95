import Compose
import OrderedCollections
import Specs
import YAML

extension Keys {
    /// Whether a label or annotation is so's own: what `so` reads back from there must not be what a stack wrote.
    static func isReserved(_ key: String) -> Bool { key.lowercased().hasPrefix(prefix) }

    /// Why a name that is well formed is refused.
    static func reservation(_ name: String) -> String {
        isReserved(name) ? ": names with \(prefix) are so's own" : ""
    }
}

extension ReportingStage {
    /// Whether a service's label can be an annotation; one that cannot is left out and reported.
    mutating func isAnnotation(_ name: String, _ key: String, _ workload: ServiceWorkload) -> Bool {
        if Names.isQualifiedName(name) || can(.anyNames) && Names.isLabelOfPodman(name), !Keys.isReserved(name) {
            return true
        }
        report(
            workload, key, at: workload.service.keys["\(key).\(name)"],
            "\(name) cannot be an annotation's name in Kubernetes" + Keys.reservation(name) + " and is left out")
        return false
    }
}

extension Names {
    /// Whether podman reads a label of the name back as it is: its value begins at the first equals sign.
    static func isLabelOfPodman(_ key: String) -> Bool {
        !key.isEmpty && !key.utf8.contains { $0 == UInt8(ascii: "=") || $0 < 0x20 || $0 == 0x7F }
    }

    /// Whether a stack may write an annotation of the name.
    static func isFreeAnnotation(_ key: String) -> Bool { isQualifiedName(key) && !Keys.isReserved(key) }
}
