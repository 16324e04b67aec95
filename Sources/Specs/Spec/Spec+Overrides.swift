import Compose
import OrderedCollections
import YAML

extension Spec {
    /// Takes `pods: [{name, colocate}]` out of `overrides`; the rest is for the compose loader.
    mutating func readOverrides(_ node: Node, _ diagnostics: inout Diagnostics) {
        guard var fragment = node.value("overrides") else { return }
        guard var mapping = fragment.mapping else {
            diagnostics.error("overrides must be a map, and is \(kindName(fragment))", at: fragment.mark)
            return
        }
        if let pods = mapping["pods"] {
            var validation = Validation(diagnostics: diagnostics)
            validation.check(pods, Self.colocationShape, at: "overrides.pods")
            diagnostics = validation.diagnostics
            readColocation(pods)
            mapping["pods"] = nil
        }
        fragment.content = .mapping(mapping)
        overrides = mapping.entries.isEmpty ? nil : fragment
    }

    private mutating func readColocation(_ pods: Node) {
        for pod in pods.sequence ?? [] {
            guard let name = pod.text("name") else { continue }
            colocation[name] = Located(pod.bool("colocate") ?? false, at: pod.mark)
        }
    }

    private static let colocationShape = Shape.list(
        .fields([
            Field("name", .checked(.name), required: true, "the pod's name"),
            Field("colocate", .bool, required: true, "whether its services share one pod"),
        ]))
}
