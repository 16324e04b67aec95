import FoundationEssentials

/// Sees without asking podman whether a container of this host listens on the ports that it publishes: then it is up, and nothing is to wait for.
struct ListeningPorts: Sendable {
    let process: ContainerProcess
    /// The container's TCP ports; empty: nothing can be told.
    let ports: Set<Int>

    /// Whether there is somebody on each of the ports; false too where this host cannot tell.
    var areAllHeld: Bool {
        guard !ports.isEmpty, let process = process.number else { return false }
        let held = ["tcp", "tcp6"].reduce(into: Set<Int>()) { found, name in
            guard let table = try? String(contentsOfFile: "/proc/\(process)/net/\(name)", encoding: .utf8) else {
                return
            }
            found.formUnion(Self.listeners(in: table))
        }
        return ports.isSubset(of: held)
    }

    /// The ports in state LISTEN of a table of the kernel: https://www.kernel.org/doc/Documentation/networking/proc_net_tcp.txt
    static func listeners(in table: String) -> Set<Int> {
        Set(
            table.utf8.split(separator: UInt8(ascii: "\n")).dropFirst().compactMap { line -> Int? in
                let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 4)
                guard fields.count > 3, fields[3].elementsEqual("0A".utf8),
                    let port = fields[1].split(separator: UInt8(ascii: ":")).last
                else { return nil }
                return Int(String(decoding: port, as: UTF8.self), radix: 16)
            })
    }
}

extension StartOperation {
    /// What a container shows of itself by listening; nil where it publishes nothing.
    func listening(_ container: PodmanContainer, _ pod: PodmanPod) -> ListeningPorts? {
        let ports = Set(pod.hostPorts.filter { $0.transport == "tcp" }.map(\.containerPort))
        guard !ports.isEmpty, let process = process(of: container.name) else { return nil }
        return ListeningPorts(process: process, ports: ports)
    }

    func process(of container: String) -> ContainerProcess? { ContainerProcess(of: container, in: model, podman) }
}
