import FoundationEssentials
import TestSupport
import Testing

/// The body of a page, as a browser on this host would get it. bash speaks TCP by itself, and every Debian has it; busybox's static wget
/// crashes on some hosts in the C library's name service.
func get(_ url: String, sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
    let script = """
        address=${1#http://} path=/${1#http://*/} address=${address%%/*}
        exec 3<>"/dev/tcp/${address%:*}/${address#*:}" || exit 1
        printf 'GET %s HTTP/1.0\\r\\n\\r\\n' "$path" >&3
        timeout 10 cat <&3
        """
    let finished = try await run("bash", ["-c", script, "get", url], environment: Podman.environment)
    try #require(finished.succeeded, "\(url) does not answer: \(finished.errors)", sourceLocation: sourceLocation)
    let text = finished.output.replacing("\r\n", with: "\n")
    try #require(
        text.split(separator: "\n").first?.contains(" 200 ") == true, "\(url) answers \(text)",
        sourceLocation: sourceLocation)
    return text.firstRange(of: "\n\n").map { String(text[$0.upperBound...]) } ?? ""
}

/// Whether somebody listens on a port of 127.0.0.1.
func isHeld(_ port: Int) async throws -> Bool {
    try await run("bash", ["-c", "exec 3<>/dev/tcp/127.0.0.1/\(port)"], environment: Podman.environment).succeeded
}

extension Sandbox {
    /// The ids of a service's running containers, without a pod's infra container. podman's names for them are
    /// `<namespace>_<service>_<container>`, with `.2` after the service for its second replica.
    func containers(_ service: String) async throws -> Set<String> {
        var found: Set<String> = []
        if let cluster = TestCluster.named {
            let ids = try await cluster.kubectl(
                "get", "pods", "-n", namespace, "-l", "app.kubernetes.io/name=\(service)", "-o",
                "jsonpath={.items[?(@.status.phase==\"Running\")].status.containerStatuses[*].containerID}")
            return Set(ids.output.split(separator: " ").map(String.init))
        }
        for line in try await Podman.lines("ps", "--no-trunc", "--format", "{{.ID}} {{.IsInfra}} {{.Names}}") {
            let fields = line.split(separator: " ").map(String.init)
            let pod = "\(namespace)_\(service)"
            guard fields.count == 3, fields[1] == "false" else { continue }
            if fields[2].hasPrefix(pod + "_") || fields[2].hasPrefix(pod + ".") { found.insert(fields[0]) }
        }
        return found
    }

    /// What a command prints inside a service's container.
    @discardableResult
    func inside(
        _ service: String, _ command: String..., sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> String {
        let arguments = ["deployment", "--dir", deployment, "exec", service] + command
        let finished = try await so(arguments)
        try #require(finished.succeeded, "\(finished)", sourceLocation: sourceLocation)
        return finished.line
    }

    /// An environment variable inside a service's container; unset is a failure.
    func value(of name: String, in service: String, sourceLocation: SourceLocation = #_sourceLocation) async throws
        -> String
    {
        try await inside(service, "sh", "-c", "echo \"${\(name)?}\"", sourceLocation: sourceLocation)
    }

    /// Appends to the deployment's own spec.
    func appendToSpec(_ text: String) throws {
        try write(try read(specFile) + text, to: specFile)
    }
}

/// The argument lists of all processes of this host, now.
func commandLines() -> [String] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.filter { $0.allSatisfy(\.isNumber) }.compactMap { try? read("/proc/\($0)/cmdline") }
}

/// A service that only has to be there.
func idle(_ name: String, _ more: String = "") -> String {
    """
      \(name):
        image: IMAGE
        command: ["sleep", "100000"]
        stop_grace_period: 0s
    \(more)
    """
}
