import FoundationEssentials
import Glibc
package import Testing

/// A Debian of this host's mirror with git, tmux, curl and redis, which stands for official images: no registry is asked for one.
package enum DebianImage {
    /// The root as a tarball: `$SO_TEST_DEBIAN`, else the one that `scripts/test` has made; nil where there is none.
    package static let tarball: String? = {
        let candidates = [
            Podman.environment["SO_TEST_DEBIAN"] ?? "", Shared.packageRoot + "/.build/debian/base.tar",
        ]
        return candidates.first { !$0.isEmpty && access($0, R_OK) == 0 }
    }()

    package static let tag = "localhost/so-test/debian:bookworm"

    /// The tag of the image, which is imported once and kept.
    package static func image() async throws -> String { try await imported.value }

    private static let imported = Task<String, any Error> {
        guard let tarball else { throw PodsUnavailable(description: absent) }
        let size = try FileManager.default.attributesOfItem(atPath: tarball)[.size] as? Int ?? 0
        let own = "\(tag)-\(size)"
        if try await Podman.run(["image", "exists", own]).succeeded { return own }
        let imported = try await Podman.run([
            "import", "--quiet", "--change", "ENV PATH=/usr/local/bin:/usr/bin:/bin", tarball, own,
        ])
        guard imported.succeeded else { throw PodsUnavailable(description: "\(imported)") }
        return own
    }

    /// An image of Debian's own redis, which stands for the official one. Made once and kept.
    package static func redis() async throws -> String {
        let base = try await image()
        let tag = base.replacing("debian:", with: "redis:")
        if try await Podman.run(["image", "exists", tag]).succeeded { return tag }
        try await withTemporaryDirectory { context in
            // Redis saves what it holds when it is stopped, and keeps it below /data as the official image has it.
            let command = #"CMD ["redis-server", "--protected-mode", "no", "--dir", "/data", "--save", "60 1"]"#
            try write("FROM \(base)\nWORKDIR /data\n\(command)\n", to: context + "/Containerfile")
            let built = try await Podman.run(["build", "-q", "-t", tag, context])
            guard built.succeeded else { throw PodsUnavailable(description: "\(built)") }
        }
        return tag
    }

    fileprivate static let absent = "the Debian of the tests is missing: scripts/test makes it"
}

/// For tests that need a Debian image: skipped with the reason where there is none, failed where `CI` is set.
package struct DebianTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if DebianImage.tarball == nil {
            guard ProcessInfo.processInfo.environment["CI"] == nil else {
                throw PodsUnavailable(description: DebianImage.absent)
            }
            try Test.cancel("\(DebianImage.absent)")
        }
        try await function()
    }
}

extension Trait where Self == DebianTrait {
    /// This test or suite runs pods of Debian.
    package static var debian: Self { Self() }
}
