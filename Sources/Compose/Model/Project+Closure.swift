import OrderedCollections

extension Project {
    /// Services with all that they depend on, by name; names that are not defined among them.
    package func closure(of services: some Sequence<String>) -> Set<String> {
        var result: Set<String> = []
        var pending = Array(services)
        while let name = pending.popLast() {
            guard result.insert(name).inserted else { continue }
            pending += self.services[name]?.dependsOn.keys ?? []
        }
        return result
    }
}
