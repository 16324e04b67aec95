import Compose
import OrderedCollections
import Specs
import YAML

/// Services of one compose file that were written to share a pod, as stack-orchestrator let them: each has a pod of its own here.
extension PodChecks {
    /// Names where a service calls localhost on a port that a sibling listens on, with the line that gives both one pod.
    mutating func reportLocalhost() {
        for workload in workloads where workload.job == nil && workload.service.networkMode != "host" {
            guard let group = groupOfWorkload[workload.index] else { continue }
            let own = Set(groups[group].workloads.flatMap { listeners(workloads[$0]).map(\.port) })
            var named: Set<Int> = []
            for (place, text, mark) in texts(workload) {
                for port in LocalAddresses.ports(in: text) where !own.contains(port) && named.insert(port).inserted {
                    guard let sibling = sibling(of: workload, listeningOn: port) else { continue }
                    reports.warning(
                        "service \(workload.service.name): \(place) calls localhost:\(port), which is its own pod;"
                            + " \(sibling.service.name) listens there, in another pod",
                        at: mark,
                        hint:
                            "write \(sibling.service.name):\(port), or give both one pod: in stack.yml \(colocation(workload))"
                    )
                }
            }
        }
    }

    private func colocation(_ workload: ServiceWorkload) -> String {
        "`pods: [{name: \(workload.component), colocate: true}]`"
    }

    /// Another service of the same compose file, in another pod.
    private func sibling(of workload: ServiceWorkload, listeningOn port: Int) -> ServiceWorkload? {
        workloads.first { other in
            other.index != workload.index && other.job == nil && other.component == workload.component
                && groupOfWorkload[other.index] != groupOfWorkload[workload.index]
                && other.service.networkMode != "host"
                && listeners(other).contains { $0.port == port }
        }
    }

    private func texts(_ workload: ServiceWorkload) -> [(place: String, text: String, mark: Mark)] {
        var result = workload.service.environment.map {
            ("`environment.\($0.key)`", $0.value.text.masked, $0.value.mark)
        }
        for (key, words) in [("command", workload.service.command), ("entrypoint", workload.service.entrypoint)] {
            for word in words ?? [] { result.append(("`\(key)`", word.masked, workload.service.mark(of: key))) }
        }
        return result
    }

    /// Names volumes that one node at a time can have and several pods want: on a cluster of several nodes some of them wait for ever.
    mutating func reportSharedVolumes() {
        guard can(.manyNodes) else { return }
        var users: OrderedDictionary<String, [ServiceWorkload]> = [:]
        for workload in workloads where workload.kind != .initContainer {
            for key in Set(workload.service.volumes.compactMap { $0.kind == .volume ? $0.source : nil }).sorted() {
                guard claims[key]?.isExclusive == true, spec.configmaps[key] == nil else { continue }
                guard
                    !(users[key] ?? []).contains(where: { groupOfWorkload[$0.index] == groupOfWorkload[workload.index] }
                    )
                else {
                    continue
                }
                users[key, default: []].append(workload)
            }
        }
        for (key, sharing) in users { for workload in sharing { reportCopies(workload, of: key) } }
        for (key, sharing) in users where sharing.count > 1 {
            let names = sharing.map(\.service.name).joined(separator: ", ")
            let isOneFile = sharing.allSatisfy { $0.job == nil && $0.component == sharing[0].component }
            reports.warning(
                "the volume \(key) is mounted by \(names), each in a pod of its own: only pods of one node can have it",
                at: project(of: sharing[0]).volumes[key]?.mark ?? sharing[0].service.mark(of: "volumes"),
                hint: (isOneFile ? "give them one pod: in stack.yml \(colocation(sharing[0])); or " : "")
                    + "use a volume that several nodes can mount, such as one of NFS")
        }
    }

    /// Several pods of one service, on one volume that one node has.
    private mutating func reportCopies(_ workload: ServiceWorkload, of volume: String) {
        let count =
            spec.replicas[workload.service.name] ?? workload.service.deploy?.replicas ?? workload.service.scale ?? 1
        let isEverywhere = workload.kind == .daemonSet
        guard isEverywhere || count > 1, !workload.isIdle else { return }
        report(
            workload,
            isEverywhere ? "deploy.mode" : workload.service.keys["scale"] == nil ? "deploy.replicas" : "scale",
            "\(isEverywhere ? "a pod on every node" : "\(count) pods") mount the volume \(volume), which one node at a time"
                + " can have: those of other nodes wait forever",
            hint: "use a volume that several nodes can mount, such as one of NFS, or one pod")
    }
}

/// Addresses of the own machine in a text.
enum LocalAddresses {
    /// The ports behind `localhost:`, `127.0.0.1:` and `[::1]:`.
    static func ports(in text: String) -> [Int] {
        var result: [Int] = []
        for host in ["localhost:", "127.0.0.1:", "[::1]:"] {
            var rest = text[...]
            while let range = rest.firstRange(of: host) {
                let before = range.lowerBound > rest.startIndex ? rest[rest.index(before: range.lowerBound)] : nil
                rest = rest[range.upperBound...]
                // `my-localhost:80` and `10.127.0.0.1:80` are other hosts.
                if let before, before.isLetter || before.isNumber || before == "-" || before == "." || before == "_" {
                    continue
                }
                let digits = rest.prefix { $0.isASCII && $0.isNumber }
                if let port = Int(digits), (1...65535).contains(port), !result.contains(port) { result.append(port) }
            }
        }
        return result
    }
}
