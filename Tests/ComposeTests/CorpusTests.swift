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

    /// The files that are refused when loaded by themselves, where and for what. One more is a fault, and so is one for another reason.
    private static let samplesRefused = ["plex/compose.yaml": ["10:9 an empty part between colons in `:/media/`"]]

    /// They name services of the other files of their stacks, and a file that the corpus lacks.
    private static let stacksRefused = [
        "docker-compose-go-ethereum-foundry.yml": [
            "7:7 the service go-ethereum depends on ipld-eth-db, which is not defined"
        ],
        "docker-compose-ipld-eth-server.yml": [
            "6:7 the service ipld-eth-server depends on ipld-eth-db, which is not defined"
        ],
        "docker-compose-mainnet-blast.yml": [23, 57, 80].map { "\($0):9 PATH does not exist" },
        "docker-compose-mainnet-eth-metrics.yml": [
            "7:7 the service prometheus depends on mainnet-eth-geth-1, which is not defined"
        ],
        "docker-compose-watcher-erc20.yml": [
            "28:7 the service erc20-watcher depends on ipld-eth-server, which is not defined"
        ],
        "docker-compose-watcher-erc721.yml": [
            "28:7 the service erc721-watcher depends on ipld-eth-server, which is not defined"
        ],
        "docker-compose-watcher-sushiswap.yml": [
            "55:7 the service sushi-watcher-job-runner depends on lotus-node-1, which is not defined",
            "112:7 the service sushi-info-watcher-job-runner depends on lotus-node-1, which is not defined",
        ],
    ]

    /// Loads each file by itself, prints the counts, and returns what was said of those that are refused, by their paths below the directory.
    private static func refused(_ paths: [String], below root: String) -> [String: [String]] {
        var refused: [String: [String]] = [:]
        var services = 0
        var warnings = 0
        for path in paths {
            var diagnostics = Diagnostics()
            var options = LoadOptions()
            options.homeDirectory = "/home/me"
            let project = loadProject(files: [path], options: options, tree: .disk, diagnostics: &diagnostics)
            services += (project?.services.count ?? 0) + (project?.disabledServices.count ?? 0)
            warnings += diagnostics.list.count { $0.severity == .warning }
            var reasons = diagnostics.list.filter { $0.severity == .error }.map { reason($0, in: path) }
            if project == nil, reasons.isEmpty { reasons = ["nothing was loaded"] }
            if !reasons.isEmpty { refused[String(path.dropFirst(root.count + 1))] = reasons }
        }
        print(
            "compose corpus: \(paths.count) files, \(services) services, \(warnings) warnings, \(refused.count) refused"
        )
        return refused
    }

    /// `line:column` in the file itself and the words, without the key that they begin with and with PATH for what is in the corpus.
    private static func reason(_ diagnostic: Diagnostic, in path: String) -> String {
        let words = diagnostic.what.split(separator: ": ").drop { $0.first == "`" && $0.last == "`" }
        guard let mark = diagnostic.mark, mark.file == normalizedPath(path) else { return diagnostic.description }
        let text = words.joined(separator: ": ").split(separator: " ").map { $0.contains("/corpus/") ? "PATH" : $0 }
        return "\(mark.line):\(mark.column) \(text.joined(separator: " "))"
    }

    @Test func `every file of awesome-compose loads`() throws {
        let root = try Shared.path("corpus/awesome-compose")
        let paths = try Self.files(under: root, matching: Self.isCompose)
        #expect(paths.count >= 39)
        #expect(Self.refused(paths, below: root) == Self.samplesRefused)
    }

    @Test func `every compose file of the stacks loads`() throws {
        let root = try Shared.path("corpus/stacks/compose")
        let paths = try Self.files(under: root, matching: Self.isCompose)
        #expect(paths.count > 10)
        #expect(Self.refused(paths, below: root) == Self.stacksRefused)
    }
}
