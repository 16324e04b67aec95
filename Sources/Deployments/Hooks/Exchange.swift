import ExternalTools
import OrderedCollections
import Rendering
import Runtimes
package import Specs

/// The `config` of a stack.yml: after a start, values that one service has made are given to others.
///
/// A value is what `sh /docker-entrypoint-scripts.d/export-<VARIABLE>.sh` prints in the service that has it; it is `$1` of
/// `/scripts/import-<VARIABLE>.sh`, run by `sh`, in the one that wants it. It is never part of a process's argument list.
package struct Exchange: Sendable {
    package struct Item: Hashable, Sendable {
        package var service: String
        package var variable: String
        package var source: StackFile.ConfigSource
    }

    package var items: [Item]
    private let handle: DeploymentHandle
    /// How long a value may take to come into being: a chain makes its keys at its first start.
    private let limit: Duration

    package init(_ file: StackFile, handle: DeploymentHandle, limit: Duration) {
        items = file.config.flatMap { service, variables in
            variables.map { Item(service: service, variable: $0.key, source: $0.value.value) }
        }
        self.handle = handle
        self.limit = limit
    }

    /// Hands every value over whose two services run.
    ///
    /// - Throws: ``DeploymentError`` (`failed`) naming the value that never came, and what its script said last.
    package func run(note: @Sendable (String) -> Void) async throws {
        let running = Set(
            try await handle.ps().filter { $0.state == .running }.flatMap { [$0.service] + $0.containers })
        for item in items {
            guard running.contains(item.service), running.contains(item.source.service) else {
                note("config: \(item.service).\(item.variable) is left: its services do not run")
                continue
            }
            let value = try await export(item.source)
            try await `import`(value, item)
            note("config: gave \(item.source.service).\(item.source.variable) to \(item.service) as \(item.variable)")
        }
    }

    /// Asks until the script succeeds and prints something.
    private func export(_ source: StackFile.ConfigSource) async throws -> String {
        let script = "/docker-entrypoint-scripts.d/export-\(source.variable).sh"
        let clock = ContinuousClock()
        let end = clock.now.advanced(by: limit)
        var said = "it printed nothing"
        while clock.now < end {
            let output = try await handle.capture(
                ExecRequest(
                    service: source.service, command: ["sh", "-c", "[ -f \(script) ] || exit 213; exec sh \(script)"]))
            if output.status == 213 {
                throw DeploymentError(
                    .failed, "config: the service \(source.service) has no \(script)",
                    hint: "add it to the image, or mount it")
            }
            if output.status == 0, !output.text.isEmpty { return output.text }
            if output.status != 0 {
                said = "its last exit code was \(output.status): \(output.standardError.suffix(400))"
            }
            // Nothing tells when the script has its value: what makes it (a chain's first start) is the image's own affair.
            try await Task.sleep(for: .milliseconds(500))
        }
        throw DeploymentError(
            .failed,
            "config: \(source.service) has not given \(source.variable) within \(limit.components.seconds) s: \(said)",
            hint: "see `so deployment logs \(source.service)`; SO_HOOK_TIMEOUT=<seconds> gives it more time")
    }

    private func `import`(_ value: String, _ item: Item) async throws {
        let script = "/scripts/import-\(item.variable).sh"
        // The value comes over standard input and stays inside the shell: the host's list of processes shows arguments, those inside
        // of containers too. The script finds it as its first argument all the same.
        let shell = "[ -f \(script) ] || exit 213; set -- \"$(cat)\"; . \(script)"
        let output = try await handle.capture(
            ExecRequest(service: item.service, command: ["sh", "-c", shell], interactive: true),
            input: Array(value.utf8))
        if output.status == 213 {
            throw DeploymentError(
                .failed, "config: the service \(item.service) has no \(script)",
                hint: "add it to the image, or mount it")
        }
        guard output.status == 0 else {
            throw DeploymentError(
                .failed, "config: \(script) of \(item.service) ended with exit code \(output.status)",
                cause: String(output.standardError.suffix(400)))
        }
    }
}

extension DeploymentDirectory {
    private var pendingExchange: String { "\(stateDirectory)/config-pending" }

    /// Whether a start was ended before its values were handed over.
    package var hasPendingExchange: Bool { Files.exists(pendingExchange) }

    /// Remembers that values are to be handed over, until they are.
    package func setPendingExchange(_ isPending: Bool) throws {
        guard isPending != hasPendingExchange else { return }
        if isPending { try Files.write([], to: pendingExchange) } else { try Files.remove(pendingExchange) }
    }
}
