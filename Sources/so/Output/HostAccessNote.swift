import Rendering

extension Terminal {
    /// Says what a stack is given of its host, one line a service; nothing where that is nothing.
    static func note(_ access: [HostAccess]) {
        guard !access.isEmpty else { return }
        note("this stack asks for parts of the host (see docs/security.md):")
        for service in access { note("  \(service.name): \(service.grants.joined(separator: ", "))") }
    }
}
