import Compose
import OrderedCollections
import Specs
import YAML

extension Keys {
    /// Whether a label or annotation is so's own: what `so` reads back from there must not be what a stack wrote.
    static func isReserved(_ key: String) -> Bool { key.lowercased().hasPrefix(prefix) }
}

extension Renderer {
    /// Whether a service's label can be an annotation; one that cannot is left out and reported.
    mutating func isAnnotation(_ name: String, _ key: String, _ workload: ServiceWorkload) -> Bool {
        if Names.isQualifiedName(name), !Keys.isReserved(name) { return true }
        report(
            workload, key, at: workload.service.keys["\(key).\(name)"],
            "\(name) cannot be an annotation's name in Kubernetes" + Self.reservation(name) + " and is left out")
        return false
    }

    /// Why a name that is well formed is refused.
    static func reservation(_ name: String) -> String {
        Keys.isReserved(name) ? ": names with \(Keys.prefix) are so's own" : ""
    }

    /// Reports the labels of volumes, configs and secrets that are left out.
    mutating func reportReservedLabels() {
        for project in [layered.project] + layered.jobs.values {
            for (key, volume) in project.volumes { report(volume.labels.keys, of: "volumes.\(key)", at: volume.mark) }
            for (key, config) in project.configs { report(config.labels.keys, of: "configs.\(key)", at: config.mark) }
            for (key, secret) in project.secrets { report(secret.labels.keys, of: "secrets.\(key)", at: secret.mark) }
        }
    }

    private mutating func report(_ names: some Sequence<String>, of path: String, at mark: Mark) {
        for name in names where Keys.isReserved(name) {
            reportTop("\(path).labels", at: mark, "\(name) is left out" + Self.reservation(name))
        }
    }
}

extension Names {
    /// Whether a stack may write an annotation of the name.
    static func isFreeAnnotation(_ key: String) -> Bool { isQualifiedName(key) && !Keys.isReserved(key) }
}
