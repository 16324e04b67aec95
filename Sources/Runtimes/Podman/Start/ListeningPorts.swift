import ExternalTools
import FoundationEssentials

/// Sees without asking podman whether a container of this host listens on the ports that it publishes: then it is up, and nothing is to wait for.
struct ListeningPorts: Sendable {
    /// Where podman writes the number of the container's process.
    let processFile: String
    /// The container's TCP ports; empty: nothing can be told.
    let ports: Set<Int>

    /// Whether there is somebody on each of the ports; false too where this host cannot tell.
    var areAllHeld: Bool {
        guard !ports.isEmpty, let process else { return false }
        let held = ["tcp", "tcp6"].reduce(into: Set<Int>()) { found, name in
            guard let table = try? String(contentsOfFile: "/proc/\(process)/net/\(name)", encoding: .utf8) else {
                return
            }
            found.formUnion(Self.listeners(in: table))
        }
        return ports.isSubset(of: held)
    }

    private var process: Int? {
        (try? String(contentsOfFile: processFile, encoding: .utf8)).flatMap { Int($0.filter { !$0.isWhitespace }) }
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
    /// Where podman on this host writes the process of a container; nil where podman runs elsewhere, and cannot.
    func processFile(of container: String) -> String? {
        guard !podman.isRemote else { return nil }
        return "\(Self.processDirectory(of: model))/\(container)"
    }

    /// A container that was killed while it was being made leaves the name under which runc writes the file, and runc does not start it again
    /// as long as that is there: https://github.com/opencontainers/runc/blob/v1.1.5/utils_linux.go (createPidFile)
    func removeLeftProcessFiles(of container: String) {
        for name in [container, ".\(container)"] {
            try? FileManager.default.removeItem(atPath: "\(Self.processDirectory(of: model))/\(name)")
        }
    }

    static func processDirectory(of model: DeploymentModel) -> String { model.stateDirectory + "/processes" }

    /// What a container shows of itself by listening; nil where it publishes nothing.
    func listening(_ container: PodmanContainer, _ pod: PodmanPod) -> ListeningPorts? {
        let ports = Set(pod.hostPorts.filter { $0.transport == "tcp" }.map(\.containerPort))
        guard !ports.isEmpty, let file = processFile(of: container.name) else { return nil }
        return ListeningPorts(processFile: file, ports: ports)
    }
}
