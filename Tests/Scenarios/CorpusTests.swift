import FoundationEssentials
import TestSupport
import Testing

/// Real compose files and stacks: each renders, or fails with diagnostics only about what is really wrong with it.
@Suite(.enabled(if: Shared.directory != nil, Shared.absent)) struct CorpusTests {
    @Test func `every file of awesome-compose renders or says at which line it cannot`() async throws {
        let root = try Shared.path("corpus/awesome-compose")
        let samples = try files(below: root).filter { $0.hasSuffix("/compose.yaml") }
        #expect(samples.count >= 39)
        let names = samples.map { ($0.split(separator: "/").first.map(String.init) ?? $0, root + "/" + $0) }
        try await renderAll("awesome-compose", names.map { ($0, ["render", "-f", $1]) }, refused: Self.samplesRefused)
    }

    @Test func `every stack of the predecessor renders or says at which line it cannot`() async throws {
        let root = try Shared.path("corpus/stacks/stacks")
        let stacks = try FileManager.default.contentsOfDirectory(atPath: root).sorted().filter {
            exists("\(root)/\($0)/stack.yml")
        }
        #expect(stacks.count >= 20)
        let renders = stacks.map { ($0, ["--stack", root + "/" + $0, "render"]) }
        try await renderAll("stacks", renders, refused: Self.stacksRefused)
    }

    /// By its name, where each refused sample says that it cannot be rendered, and why. One more is a fault, and so is one for another reason.
    private static let samplesRefused = [
        "angular": "9:9 ./angular does not exist", "apache-php": "9:9 ./app does not exist",
        "flask-redis": "16:9 . is the project's own directory", "nginx-flask-mongo": "24:9 ./flask does not exist",
        "nginx-golang-postgres": "15:5 `postgres` names a user", "plex": "10:9 an empty part between colons",
        "prometheus-grafana": "11:9 ./prometheus does not exist",
        "react-express-mongodb": "10:9 ./frontend does not exist",
        "react-express-mysql": "22:9 ./backend/src does not exist",
        "react-java-mysql": "42:9 ./frontend/src does not exist",
        "react-rust-postgres": "12:9 ./frontend/src does not exist", "vuejs": "9:9 ./vuejs does not exist",
        "wasmedge-kafka-mysql": "20:9 ./kafka does not exist", "wasmedge-mysql-nginx": "7:9 ./frontend does not exist",
    ]

    private static let stacksRefused = [
        "fixturenet-eth": "9:9 ./foundry/workspace does not exist",
        "mainnet-blast": "23:9 mainnet.config does not exist", "mainnet-eth": "9:9 ./foundry/workspace does not exist",
        "package-registry": "11:5 its repository cerc-io/hosting is not there",
        "test-restart-multi": "5:5 its repository test-restart-pod-a is not there",
    ]

    private let podless = ["build-support", "chain-chunker"]

    private func renderAll(
        _ corpus: String, _ samples: [(String, [String])], refused expected: [String: String]
    ) async throws {
        var rendered = 0
        var warned = 0
        var refused: [String] = []
        try await withPodlessSandbox { sandbox in
            for (name, arguments) in samples {
                let finished = try await sandbox.so(arguments)
                let diagnostics = finished.errors.split(separator: "\n").map(String.init)
                #expect(finished.succeeded == (expected[name] == nil), "\(name): \(finished)")
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
                    let reason = (expected[name] ?? "").split(separator: " ", maxSplits: 1)
                    #expect(reason.allSatisfy { first.contains($0) }, "\(name): \(first)")
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
