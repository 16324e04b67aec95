package import AgentLoop
import ExternalTools
import FoundationEssentials
package import Workspaces

/// What came of one version of reporting.yaml.
package enum ReportedVersion: Hashable, Sendable {
    case report(Reporting)
    /// It was refused, with file:line; the versions before it stand.
    case refused(String)
}

/// Follows the reporting.yaml of a pod as a stream of events through exec: `so-agent watch` tells each version, or a later one.
package struct ReportStream: Sendable {
    private let pod: any PodShell
    private let directory: String
    private let file: String

    /// More than any version, in its JSON form.
    private static let lineLimit = 8 << 20

    /// - Parameter file: relative to the checkout, as the agent's declaration has it.
    package init(_ pod: any PodShell, directory: String, file: String = Reporting.defaultPath) {
        self.pod = pod
        self.directory = directory
        self.file = file
    }

    /// The version that there is now; nil where there is none.
    package func current() async throws -> ReportedVersion? {
        let output = try await pod.capture(["so-agent", "report", "\(directory)/\(file)"], limit: Self.lineLimit)
        return await ReportLines(file: file, limit: Self.lineLimit).versions(adding: output.standardOutput).first
    }

    /// Hands out every version until the pod ends, or the caller is cancelled.
    package func follow(_ body: @escaping @Sendable (ReportedVersion) async -> Void) async throws {
        let lines = ReportLines(file: file, limit: Self.lineLimit)
        _ = try await pod.stream(["so-agent", "watch", "\(directory)/\(file)"], input: []) { stream, bytes in
            guard stream == .standardOutput else { return }
            for version in await lines.versions(adding: bytes) { await body(version) }
        }
    }
}

/// Cuts the stream into versions. What a pod prints is nobody's but the agent's.
actor ReportLines {
    private let file: String
    private let limit: Int
    private var pending: [UInt8] = []

    init(file: String, limit: Int) {
        self.file = file
        self.limit = limit
    }

    func versions(adding bytes: [UInt8]) -> [ReportedVersion] {
        pending += bytes
        var versions: [ReportedVersion] = []
        while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
            if let version = version(pending[..<end]) { versions.append(version) }
            pending.removeSubrange(...end)
        }
        if pending.count > limit {
            pending = []
            versions.append(.refused("\(file): a version is too large"))
        }
        return versions
    }

    /// Nil: a heartbeat.
    private func version(_ line: ArraySlice<UInt8>) -> ReportedVersion? {
        guard let told = try? JSONDecoder().decode(ReportWatch.Line.self, from: Data(line)) else {
            return .refused("\(file): what the pod tells cannot be read")
        }
        if let problem = told.problem { return .refused(redacted("\(file): \(problem)")) }
        guard let text = told.text else { return nil }
        do {
            return .report(try Reporting.validated(Array(text.utf8), file: file))
        } catch {
            return .refused(redacted(error.description))
        }
    }
}
