import Compose
import YAML

extension Spec {
    /// The spec with what another one says over it, key by key; lists are taken whole.
    package func merged(with other: Spec) -> Spec {
        var diagnostics = Diagnostics()
        let merged = node.merged(with: other.node)
        return parseSpec(merged, directory: directory, completeness: .fragment, diagnostics: &diagnostics) ?? other
    }
}

extension Node {
    fileprivate func merged(with other: Node) -> Node {
        guard var mine = mapping, let theirs = other.mapping else { return other }
        for entry in theirs.entries { mine[entry.key] = mine[entry.key]?.merged(with: entry.value) ?? entry.value }
        return Node(.mapping(mine), mark: mark)
    }
}
