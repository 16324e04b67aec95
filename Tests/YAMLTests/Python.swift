import FoundationEssentials
import TestSupport
import Testing

/// PyYAML, the reader of YAML 1.1 that others' tools use.
enum Python {
    static let absent: Comment = "python3 with PyYAML is absent"

    static func isPresent() async -> Bool {
        (try? await run(script: "import yaml", files: []))?.succeeded ?? false
    }

    static func run(script: String, files: [String]) async throws -> Finished {
        try await TestSupport.run("python3", ["-c", script] + files, environment: environment)
    }

    private static var environment: [String: String] {
        ProcessInfo.processInfo.environment.filter { ["PATH", "HOME", "PYTHONPATH"].contains($0.key) }
            .merging(["PYTHONUTF8": "1"]) { $1 }
    }
}
