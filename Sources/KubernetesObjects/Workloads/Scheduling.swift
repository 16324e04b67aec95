/// On which nodes a pod may run.
package struct Affinity: Codable, Hashable, Sendable {
    package var nodeAffinity: NodeAffinity?

    /// Every requirement must hold.
    package init(required requirements: [LabelSelectorRequirement]) {
        nodeAffinity = NodeAffinity(
            requiredDuringSchedulingIgnoredDuringExecution: NodeSelector(
                nodeSelectorTerms: [NodeSelectorTerm(matchExpressions: requirements)]))
    }
}

package struct NodeAffinity: Codable, Hashable, Sendable {
    package var requiredDuringSchedulingIgnoredDuringExecution: NodeSelector?
}

package struct NodeSelector: Codable, Hashable, Sendable {
    package var nodeSelectorTerms: [NodeSelectorTerm]
}

package struct NodeSelectorTerm: Codable, Hashable, Sendable {
    package var matchExpressions: [LabelSelectorRequirement]?
}

/// A taint that a pod bears; no effect means any.
package struct Toleration: Codable, Hashable, Sendable {
    package var key: String?
    package var `operator`: String?
    package var value: String?
    package var effect: String?

    package init(key: String, operator comparison: String, value: String? = nil, effect: String? = nil) {
        self.key = key
        self.operator = comparison
        self.value = value
        self.effect = effect
    }
}

/// How evenly pods spread over the values of a node label.
package struct TopologySpreadConstraint: Codable, Hashable, Sendable {
    package var maxSkew: Int
    package var topologyKey: String
    package var whenUnsatisfiable: String
    package var labelSelector: LabelSelector?

    package init(topologyKey: String, labelSelector: LabelSelector) {
        maxSkew = 1
        self.topologyKey = topologyKey
        whenUnsatisfiable = "ScheduleAnyway"
        self.labelSelector = labelSelector
    }
}
