/// Name, namespace, labels and annotations of an object or of a pod template.
package struct ObjectMeta: Codable, Hashable, Sendable {
    package var name: String?
    package var namespace: String?
    package var labels: StringMap?
    package var annotations: StringMap?

    package init(
        name: String? = nil, namespace: String? = nil, labels: StringMap? = nil,
        annotations: StringMap? = nil
    ) {
        self.name = name
        self.namespace = namespace
        self.labels = labels
        self.annotations = annotations
    }
}

/// Which pods (or other labelled objects) are meant; an empty selector means all.
package struct LabelSelector: Codable, Hashable, Sendable {
    package var matchLabels: StringMap?
    package var matchExpressions: [LabelSelectorRequirement]?

    package init(matchLabels: StringMap? = nil) {
        self.matchLabels = matchLabels
    }
}

/// One condition on a label; `operator` is `In`, `NotIn`, `Exists` or `DoesNotExist`.
package struct LabelSelectorRequirement: Codable, Hashable, Sendable {
    package var key: String
    package var `operator`: String
    package var values: [String]?

    package init(key: String, operator comparison: String, values: [String]? = nil) {
        self.key = key
        self.operator = comparison
        self.values = values
    }
}

/// Names another object of the same namespace.
package struct LocalObjectReference: Codable, Hashable, Sendable {
    package var name: String

    package init(name: String) {
        self.name = name
    }
}
