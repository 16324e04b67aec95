import Compose
import KubernetesObjects
import OrderedCollections
import YAML

extension Renderer {
    /// Claims the name of every service's Service, so that an alias never takes one.
    mutating func registerServiceNames() {
        for workload in workloads where serviceNames[workload.name] == nil {
            serviceNames[workload.name] = workload.service.name
        }
        warnOfChangedNames()
    }

    /// What other services write to reach one: a name with `_` or capitals does not resolve in Kubernetes.
    private mutating func warnOfChangedNames() {
        guard !options.can(.anyNames) else { return }
        let changed = workloads.filter { $0.name != $0.service.name && $0.job == nil }
        guard !changed.isEmpty else { return }
        for workload in workloads {
            for target in changed where target.index != workload.index {
                guard let (name, mark) = mention(of: target.service.name, in: workload) else { continue }
                diagnostics.warning(
                    "service \(workload.service.name): \(name) names \(target.service.name), which Kubernetes knows as \(target.name)",
                    at: mark, hint: "write \(target.name) there, or rename the service")
            }
        }
    }

    /// Where a service names another: the key, and its place.
    func mention(of name: String, in workload: ServiceWorkload) -> (String, Mark)? {
        for (variable, value) in workload.service.environment where contains(value.text.masked, name) {
            return ("`environment.\(variable)`", value.mark)
        }
        for (key, words) in [("command", workload.service.command), ("entrypoint", workload.service.entrypoint)] {
            if words?.contains(where: { contains($0.masked, name) }) == true {
                return ("`\(key)`", workload.service.mark(of: key))
            }
        }
        return nil
    }

    /// Whether a text holds the name as a word of its own: a host, not a part of another name.
    func contains(_ text: String, _ name: String) -> Bool {
        let (bytes, word) = (Array(text.utf8), Array(name.utf8))
        guard !word.isEmpty, bytes.count >= word.count else { return false }
        func isPart(_ byte: UInt8) -> Bool {
            (byte >= 48 && byte <= 57) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte == 45
                || byte == 95
                || byte == 46 || byte == 47
        }
        for start in 0...(bytes.count - word.count) where bytes[start] == word[0] {
            let end = start + word.count
            guard bytes[start..<end].elementsEqual(word) else { continue }
            let isAfterScheme = start >= 2 && bytes[start - 1] == 47 && bytes[start - 2] == 47
            let startsWord = start == 0 || isAfterScheme || !isPart(bytes[start - 1])
            let endsWord = end == bytes.count || bytes[end] == 47 || !isPart(bytes[end])
            if startsWord, endsWord { return true }
        }
        return false
    }

    /// Every name under which others reach a service, its own first, as the files write them.
    func hostnames(_ workload: ServiceWorkload) -> [String] {
        var result = [workload.service.name]
        func add(_ name: String) { if !name.isEmpty, !result.contains(name) { result.append(name) } }
        if workload.name != workload.service.name { add(workload.name) }
        if let name = workload.service.containerName { add(name) }
        for network in workload.service.networks.values { network.aliases.forEach(add) }
        if let name = workload.service.hostname { add(name) }
        linkAliases[LinkTarget(job: workload.job, service: workload.service.name)]?.forEach(add)
        return result
    }
}

/// The service that a link leads to.
struct LinkTarget: Hashable {
    var job: String?
    var service: String
}
