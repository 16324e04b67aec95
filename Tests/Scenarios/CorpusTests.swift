import FoundationEssentials
import TestSupport
import Testing

/// Real compose files and stacks: each renders, or fails with diagnostics only about what is really wrong with it.
@Suite(.enabled(if: Shared.directory != nil, Shared.absent)) struct CorpusTests {
    @Test func `every file of awesome-compose renders or says at which line it cannot`() async throws {
        let root = try Shared.path("corpus/awesome-compose")
        let samples = try files(below: root).filter { $0.hasSuffix("/compose.yaml") }
        #expect(samples.count >= 39)
        try await renderAll("awesome-compose", samples.map { ($0, ["render", "-f", root + "/" + $0]) })
    }

    @Test func `every stack of the predecessor renders or says at which line it cannot`() async throws {
        let root = try Shared.path("corpus/stacks/stacks")
        let stacks = try FileManager.default.contentsOfDirectory(atPath: root).sorted().filter {
            exists("\(root)/\($0)/stack.yml")
        }
        #expect(stacks.count >= 20)
        try await renderAll("stacks", stacks.map { ($0, ["--stack", root + "/" + $0, "render"]) })
    }

    private let podless = ["build-support", "chain-chunker"]

    private func renderAll(_ corpus: String, _ samples: [(String, [String])]) async throws {
        var rendered = 0
        var warned = 0
        var refused: [String] = []
        try await withPodlessSandbox { sandbox in
            for (name, arguments) in samples {
                let finished = try await sandbox.so(arguments)
                let diagnostics = finished.errors.split(separator: "\n").map(String.init)
                if finished.succeeded {
                    rendered += 1
                    warned += finished.errors.contains("warning:") ? 1 : 0
                    // Some stacks only build images: no pods, no objects.
                    let hasPods = ["kind: Deployment", "kind: Job"].contains { finished.output.contains($0) }
                    #expect(hasPods || podless.contains(name), "\(name)")
                } else {
                    #expect([65, 66].contains(finished.status), "\(name): \(finished)")
                    #expect(diagnostics.contains { $0.isLocated }, "\(name) says no place: \(finished)")
                    let first = diagnostics.first { $0.contains("error:") } ?? diagnostics.first ?? ""
                    refused.append("  \(name): \(first.replacing((try? Shared.path("corpus/")) ?? "", with: ""))")
                }
            }
        }
        print(
            "\(corpus): \(samples.count) in all, \(rendered) rendered (\(warned) with warnings), \(refused.count) refused"
        )
        refused.forEach { print($0) }
    }
}

extension String {
    /// `file:line:column: …`
    fileprivate var isLocated: Bool {
        let parts = split(separator: ":", maxSplits: 3)
        return parts.count == 4 && Int(parts[1]) != nil && Int(parts[2]) != nil
    }
}
