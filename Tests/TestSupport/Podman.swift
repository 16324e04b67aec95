import FoundationEssentials
import Glibc
package import Testing

/// The podman of this machine, as the scenarios use it beside `so`: to look at what `so` did, and to act behind its back.
package enum Podman {
    /// The environment for podman, and for `so` where it calls podman: the caller's, with the settings that `scripts/quickstart` and
    /// `scripts/test` write where the host needs them.
    package static let environment: [String: String] = {
        var environment = ProcessInfo.processInfo.environment
        let home = environment["XDG_CONFIG_HOME"] ?? (environment["HOME"] ?? "/root") + "/.config"
        let settings = home + "/so/containers.conf"
        if environment["CONTAINERS_CONF"] == nil, exists(settings) { environment["CONTAINERS_CONF"] = settings }
        return environment
    }()

    /// Runs `podman` with these arguments.
    @discardableResult
    package static func run(_ arguments: [String], input: String = "") async throws -> Finished {
        try await TestSupport.run("podman", arguments, environment: environment, input: input)
    }

    /// The lines that a podman command prints.
    ///
    /// - Throws: `Failed` with all it said where it failed.
    package static func lines(_ arguments: String...) async throws -> [String] {
        let finished = try await run(arguments)
        guard finished.succeeded else { throw Failed(finished: finished) }
        return finished.output.split(separator: "\n").map(String.init)
    }

    package struct Failed: Error, CustomStringConvertible {
        let finished: Finished
        package var description: String { finished.description }
    }

    /// Why no container can run here; nil where one can. Tried once, with a real container of the test image.
    package static func unavailable() async -> String? {
        await availability.value
    }

    private static let availability = Task<String?, Never> {
        do {
            let image = try await testImage()
            let trial = try await run(["run", "--rm", "--network", "none", image, "true"])
            return trial.succeeded ? nil : "podman cannot run a container: \(trial.errors.trimmingCharacters())"
        } catch {
            return "podman cannot be used: \(error)"
        }
    }

    /// A small image with all of busybox's applets and no entry point, under a tag that only the tests use. Made once for each version of
    /// busybox and kept: the next run finds it.
    package static func testImage() async throws -> String {
        try await image.value
    }

    /// The same with a user `web` of the number 1234, under a tag of the test's own.
    package static func imageWithUser(_ token: String, in directory: String) async throws -> String {
        let tag = "localhost/so-test-users-\(token):1"
        try write("web:x:1234:1234::/:/bin/sh\n", to: directory + "/passwd")
        try write("FROM \(try await testImage())\nCOPY passwd /etc/passwd\n", to: directory + "/Containerfile")
        _ = try await lines("build", "-q", "-t", tag, directory)
        return tag
    }

    private static let image = Task<String, any Error> {
        guard let busybox = findBusybox() else { throw NoBusybox() }
        let size = try FileManager.default.attributesOfItem(atPath: busybox)[.size] as? Int ?? 0
        let tag = "localhost/so-test-busybox:\(size)-1"
        if try await run(["image", "exists", tag]).succeeded { return tag }
        try await withTemporaryDirectory { context in
            let bin = context + "/root/bin"
            try FileManager.default.createDirectory(atPath: bin, withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: context + "/root/tmp", withIntermediateDirectories: true)
            try FileManager.default.createDirectory(atPath: context + "/root/etc", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: busybox, toPath: bin + "/busybox")
            let applets = try await TestSupport.run(busybox, ["--list"], environment: [:])
            for applet in applets.output.split(separator: "\n") where applet != "busybox" {
                try FileManager.default.createSymbolicLink(atPath: "\(bin)/\(applet)", withDestinationPath: "busybox")
            }
            let steps = "FROM scratch\nCOPY root/ /\nENV PATH=/bin\nCMD [\"sh\"]\n"
            try write(steps, to: context + "/Containerfile")
            let built = try await run(["build", "-q", "-t", tag, context])
            guard built.succeeded else { throw Failed(finished: built) }
        }
        return tag
    }

    private static func findBusybox() -> String? {
        let path = environment["PATH"] ?? "/usr/bin:/bin"
        return path.split(separator: ":").map { $0 + "/busybox" }.first { access($0, X_OK) == 0 }
    }

    private struct NoBusybox: Error, CustomStringConvertible {
        let description = "busybox is missing: apt-get install busybox-static"
    }

    /// Everything of podman's whose name holds `token`, as `kind name`: pods, containers, networks, volumes, secrets.
    package static func named(_ token: String) async throws -> [String] {
        var found: [String] = []
        for (kind, list) in kinds {
            var names = try await run(list)
            // A list fails where somebody else's thing is removed while podman looks it up.
            for _ in 0..<5 where !names.succeeded { names = try await run(list) }
            guard names.succeeded else { throw Failed(finished: names) }
            found += names.output.split(separator: "\n").filter { $0.contains(token) }.map { "\(kind) \($0)" }
        }
        return found.sorted()
    }

    private static let kinds: [(String, [String])] = [
        ("pod", ["pod", "ps", "--format", "{{.Name}}"]),
        ("container", ["ps", "--all", "--format", "{{.Names}}"]),
        ("network", ["network", "ls", "--format", "{{.Name}}"]),
        ("volume", ["volume", "ls", "--format", "{{.Name}}"]),
        ("secret", ["secret", "ls", "--format", "{{.Name}}"]),
    ]

    /// Removes by force what `named` finds; for the end of a test that went wrong.
    package static func removeAll(named token: String) async {
        let removals = [
            "pod": ["pod", "rm", "--force", "--time", "0"], "container": ["rm", "--force", "--time", "0"],
            "network": ["network", "rm", "--force"], "volume": ["volume", "rm", "--force"], "secret": ["secret", "rm"],
        ]
        for (kind, _) in kinds {
            let found = ((try? await named(token)) ?? []).filter { $0.hasPrefix(kind + " ") }
            for name in found.map({ String($0.dropFirst(kind.count + 1)) }) {
                _ = try? await run((removals[kind] ?? []) + [name])
            }
        }
    }
}

/// For tests that run real pods: skipped with the reason where podman cannot run a container, failed where `CI` is set. No more than
/// three such tests run at a time.
package struct PodsTrait: TestTrait, SuiteTrait, TestScoping {
    package var isRecursive: Bool { true }

    package func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        if TestCluster.named == nil, let reason = await Podman.unavailable() {
            guard ProcessInfo.processInfo.environment["CI"] == nil else { throw PodsUnavailable(description: reason) }
            try Test.cancel("\(reason)")
        }
        try await PodsTrait.gate.enter()
        do {
            try await function()
        } catch {
            await PodsTrait.gate.leave()
            throw error
        }
        await PodsTrait.gate.leave()
    }

    private static let gate = Gate(places: 3)
}

extension Trait where Self == PodsTrait {
    /// This test or suite runs real pods.
    package static var pods: Self { Self() }
}

package struct PodsUnavailable: Error, CustomStringConvertible {
    package let description: String
}

/// Lets a number of tasks in at a time, the others in the order they came.
private actor Gate {
    private var places: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(places: Int) { self.places = places }

    func enter() async throws {
        if places > 0 {
            places -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func leave() {
        if waiting.isEmpty {
            places += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}
