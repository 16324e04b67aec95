import OrderedCollections
import TestSupport
import Testing
import YAML

@testable import Compose

/// Real compose files load, or are told what is really wrong with them.
@Suite(.enabled(if: Shared.directory != nil, Shared.absent)) struct CorpusTests {
    private static func files(under directory: String, matching condition: (String) -> Bool) throws -> [String] {
        var found: [String] = []
        var pending = [directory]
        while let next = pending.popLast() {
            for name in try FileTree.disk.list(next) {
                let path = next + "/" + name
                switch FileTree.disk.kind(path) {
                case .directory: pending.append(path)
                case .file where condition(name): found.append(path)
                default: break
                }
            }
        }
        return found.sorted()
    }

    private static func isCompose(_ name: String) -> Bool {
        let isYAML = name.hasSuffix(".yml") || name.hasSuffix(".yaml")
        return isYAML && (name.hasPrefix("compose") || name.hasPrefix("docker-compose"))
    }

    /// What is really wrong with a file that is loaded by itself: it names what another file of its stack, another corpus or
    /// a variable that nobody set would bring.
    private static let expected = [
        "which is not defined", "does not exist", "an empty part between colons in `:/media/`",
    ]

    /// Loads each file by itself, prints the counts, and returns what was said of those that failed unexpectedly.
    private static func load(_ paths: [String]) -> [String] {
        var failures: [String] = []
        var services = 0
        var warnings = 0
        var rightly = 0
        for path in paths {
            var diagnostics = Diagnostics()
            var options = LoadOptions()
            options.homeDirectory = "/home/me"
            let project = loadProject(files: [path], options: options, tree: .disk, diagnostics: &diagnostics)
            services += (project?.services.count ?? 0) + (project?.disabledServices.count ?? 0)
            warnings += diagnostics.list.count { $0.severity == .warning }
            let errors = diagnostics.list.filter { $0.severity == .error }.map(\.description)
            let wrong = errors.filter { error in !expected.contains { error.contains($0) } }
            rightly += errors.count - wrong.count
            failures += wrong
            if project == nil, !diagnostics.hasErrors { failures.append("\(path): nothing was loaded") }
        }
        print(
            "compose corpus: \(paths.count) files, \(services) services, \(warnings) warnings, "
                + "\(rightly) errors that are right, \(failures.count) that are not")
        failures.forEach { print("  \($0)") }
        return failures
    }

    @Test func `every file of awesome-compose loads`() throws {
        let paths = try Self.files(under: Shared.path("corpus/awesome-compose"), matching: Self.isCompose)
        #expect(paths.count >= 39)
        #expect(Self.load(paths).isEmpty)
    }

    @Test func `every compose file of the stacks loads`() throws {
        let paths = try Self.files(under: Shared.path("corpus/stacks/compose"), matching: Self.isCompose)
        #expect(paths.count > 10)
        #expect(Self.load(paths).isEmpty)
    }
}
