import Dispatch
import Runtimes
import Synchronization
import SystemNetwork

/// Whether the host names of routes lead to where they are answered: what a certificate and every visitor need.
package struct HostNames: Sendable {
    /// The addresses that are right; nil: those of this host.
    package var expected: [String]?
    /// How long a name server may take: a warning must not hold up a restart.
    package var patience = Duration.seconds(5)

    package init(expected: [String]? = nil) {
        self.expected = expected
    }

    /// What is wrong with each name, in words; a wildcard cannot be asked for.
    /// - Returns: by name.
    package func problems(_ names: [String]) async -> [String: String] {
        let right = expected ?? hostAddresses()
        // Browsers find this host by such a name without asking anybody: https://www.rfc-editor.org/rfc/rfc6761#section-6.3
        let names = names.filter { !$0.hasSuffix(".localhost") }
        return await withTaskGroup(of: (Int, String?).self) { group in
            for (index, name) in names.enumerated() where !name.hasPrefix("*.") {
                group.addTask { (index, problem(name, await addresses(of: name), right)) }
            }
            var found: [String: String] = [:]
            for await (index, problem) in group { found[names[index]] = problem }
            return found
        }
    }

    private func problem(_ name: String, _ found: [String]?, _ right: [String]) -> String? {
        guard let found else { return "the name server has not answered for \(name)" }
        if found.isEmpty { return "\(name) has no address: make a DNS record for it" }
        guard Set(found).isDisjoint(with: right) else { return nil }
        let places = found.joined(separator: ", ")
        return expected == nil
            ? "\(name) resolves to \(places), which is not an address of this host: unless that is a router in front of it, correct the DNS record"
            : "\(name) resolves to \(places), not to \(right.joined(separator: ", ")): correct the DNS record"
    }

    /// The addresses of a name, none where it has none; nil where nobody answered in time.
    private func addresses(of name: String) async -> [String]? {
        let answer = Answer()
        DispatchQueue.global().async { answer.give(systemAddresses(of: name)) }
        DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(Int(patience.components.seconds))) {
            answer.give(nil)
        }
        return await answer.wait()
    }
}

extension DeploymentDirectory {
    private var hostsFile: String { "\(stateDirectory)/hosts" }

    /// The host names that were found right: they are not asked for again.
    package func verifiedHosts() throws -> [String] {
        let bytes = try Files.readIfPresent(hostsFile) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    package func record(verifiedHosts: [String]) throws {
        guard try self.verifiedHosts() != verifiedHosts else { return }
        try Files.write(Array(verifiedHosts.map { $0 + "\n" }.joined().utf8), to: hostsFile)
    }
}

/// The first of two answers, for one waiter.
private final class Answer: Sendable {
    private let stream: AsyncStream<[String]?>
    private let continuation: AsyncStream<[String]?>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream(of: [String]?.self) }

    func give(_ answer: [String]?) {
        continuation.yield(answer)
        continuation.finish()
    }

    func wait() async -> [String]? {
        for await answer in stream { return answer }
        return nil
    }
}
