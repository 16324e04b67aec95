/// Quantities by resource name.
package struct ResourceRequirements: Codable, Hashable, Sendable {
    package var limits: StringMap?
    package var requests: StringMap?

    package init(limits: StringMap? = nil, requests: StringMap? = nil) {
        self.limits = limits
        self.requests = requests
    }
}
