import Compose
import OrderedCollections
import YAML

/// The spec's `overrides`.
struct ComposeOverrides: Sendable {
    /// See ``Spec/overrides``.
    var fragment: Node?
    /// See ``Spec/colocation``.
    var colocation: OrderedDictionary<String, Located<Bool>> = [:]
}

extension Spec {
    var composeOverrides: ComposeOverrides {
        get { ComposeOverrides(fragment: overrides, colocation: colocation) }
        set { (overrides, colocation) = (newValue.fragment, newValue.colocation) }
    }
}

extension ValueFormat where Value == ComposeOverrides {
    /// A compose fragment for the compose loader, with `pods: [{name, colocate}]`, which is taken out of it.
    static var composeOverrides: ValueFormat {
        ValueFormat(shape: .any) { node, diagnostics in
            guard var mapping = node.mapping else {
                diagnostics.error("overrides must be a map, and is \(kindName(node))", at: node.mark)
                return nil
            }
            var result = ComposeOverrides()
            if let pods = mapping["pods"] {
                let format = ValueFormat<[ColocatedPod]>.list(ColocatedPod.format)
                var validation = Validation(diagnostics: diagnostics)
                validation.check(pods, format.shape, at: "overrides.pods")
                diagnostics = validation.diagnostics
                for pod in format.decode(pods, &diagnostics) ?? [] {
                    result.colocation[pod.name] = Located(pod.sharesPod, at: pod.mark)
                }
                mapping["pods"] = nil
            }
            var fragment = node
            fragment.content = .mapping(mapping)
            result.fragment = mapping.entries.isEmpty ? nil : fragment
            return result
        } encode: { overrides in
            var entries = overrides.fragment?.mapping?.entries ?? []
            let pods = overrides.colocation.compactMap { name, sharesPod in
                ColocatedPod.format.encode(ColocatedPod(name: name, sharesPod: sharesPod.value, mark: sharesPod.mark))
            }
            if !pods.isEmpty { entries.append(Mapping.Entry(key: "pods", value: .list(pods))) }
            return Node(.mapping(Mapping(entries)))
        }
    }
}

/// An entry of `overrides.pods`.
private struct ColocatedPod: Sendable {
    var name: String
    var sharesPod: Bool
    var mark: Mark

    static let format = ValueFormat<ColocatedPod>.record(
        SpecTable([
            SpecKey("name", \.name, .text(.name), required: true, "the pod's name"),
            SpecKey("colocate", \.sharesPod, .bool, required: true, "whether its services share one pod"),
        ])
    ) {
        ColocatedPod(name: "", sharesPod: false, mark: $0)
    }
}
