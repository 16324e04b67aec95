import FoundationEssentials
import Glibc
package import Testing

/// Debian's Caddy, for tests of routes: no registry is asked for an image.
package enum Caddy {
    /// The program: `$SO_TEST_CADDY`, else the one that `scripts/test` unpacked, else that of the PATH; nil where there is none.
    package static let program: String? = {
        let path = Podman.environment["PATH"] ?? "/usr/bin:/bin"
        let candidates =
            [Podman.environment["SO_TEST_CADDY"] ?? "", Shared.packageRoot + "/.build/caddy/usr/bin/caddy"]
            + path.split(separator: ":").map { $0 + "/caddy" }
        return candidates.first { !$0.isEmpty && access($0, X_OK) == 0 }
    }()

    /// An image of Caddy with the libraries that it is linked to, and nothing else. Made once for each version and kept.
    package static func image() async throws -> String { try await made.value }

    private static let made = Task<String, any Error> {
        guard let program else { throw PodsUnavailable(description: absent) }
        let size = try FileManager.default.attributesOfItem(atPath: program)[.size] as? Int ?? 0
        let tag = "localhost/so-test-caddy:\(size)-1"
        if try await Podman.run(["image", "exists", tag]).succeeded { return tag }
        try await withTemporaryDirectory { context in
            let libraries = try await libraries(of: program)
            for (source, target) in [(program, "/usr/bin/caddy")] + libraries.map({ ($0, $0) }) {
                let copy = context + "/root" + target
                let parent = copy.split(separator: "/").dropLast().joined(separator: "/")
                try FileManager.default.createDirectory(atPath: "/" + parent, withIntermediateDirectories: true)
                let copied = try await TestSupport.run("cp", ["-L", source, copy], environment: Podman.environment)
                guard copied.succeeded else { throw PodsUnavailable(description: "\(copied)") }
            }
            try write("FROM scratch\nCOPY root/ /\nENV PATH=/usr/bin\n", to: context + "/Containerfile")
            let built = try await Podman.run(["build", "-q", "-t", tag, context])
            guard built.succeeded else { throw PodsUnavailable(description: "\(built)") }
        }
        return tag
    }

    /// The libraries and the loader that `ldd` names; none for a program that needs none.
    private static func libraries(of program: String) async throws -> [String] {
        let listed = try await TestSupport.run("ldd", [program], environment: Podman.environment)
        return listed.output.split(separator: "\n").compactMap { line in
            line.split(separator: " ").map { String($0).trimmingCharacters() }.first { $0.hasPrefix("/") }
        }
    }

    fileprivate static let absent = "Caddy is missing: scripts/test fetches it"
}

/// For tests that need Caddy: skipped with the reason where there is none, failed where `CI` is set.
package struct CaddyTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if Caddy.program == nil {
            guard ProcessInfo.processInfo.environment["CI"] == nil else {
                throw PodsUnavailable(description: Caddy.absent)
            }
            try Test.cancel("\(Caddy.absent)")
        }
        try await function()
    }
}

extension Trait where Self == CaddyTrait {
    /// This test or suite runs Caddy.
    package static var caddy: Self { Self() }
}
