import Compose
import FoundationEssentials
import OrderedCollections
import Stacks
import TestSupport
import Testing
import YAML

@testable import Specs

@Suite(.enabled(if: Shared.directory != nil, Shared.absent)) struct CorpusTests {
    /// Stacks whose pods stand in repositories that nobody has cloned here.
    static let uncloned = ["package-registry": 2, "test-restart-multi": 2]

    static var names: [String] {
        guard let root = try? Shared.path("corpus/stacks/stacks") else { return [] }
        return (try? FileTree.disk.list(root)) ?? []
    }

    @Test func `all of the corpus is here`() {
        #expect(Self.names.count == 28)
    }

    @Test(arguments: names) func `a real stack resolves, gets a spec and layers`(name: String) throws {
        let root = try Shared.path("corpus/stacks")
        let stack = try resolver(.disk, builtIn: root, base: "/nowhere").resolve(name)
        let errors = stack.problems.filter { $0.severity == .error }
        #expect(errors.count == Self.uncloned[name] ?? 0, "\(errors)")
        var diagnostics = Diagnostics()
        let mapper = PortMapper(recipe: .localhostFixedRandom, isFree: { _ in true })
        var request = SpecRequest(stack: name, target: .podman)
        request.homeDirectory = "/home/user"
        let initial = initialSpec(stack, request, ports: mapper, tree: .disk, diagnostics: &diagnostics)
        guard Self.uncloned[name] == nil else {
            #expect(initial == nil)
            #expect(diagnostics.list.contains { $0.hint == "clone it with `so setup-repositories --stack \(name)`" })
            return
        }
        let text = try #require(initial, "\(diagnostics.list.map(\.description))").node.yaml()
        let (parsed, messages) = spec(text)
        #expect(messages == [])
        let spec = try #require(parsed)
        var found = Diagnostics()
        var options = LayerOptions()
        options.homeDirectory = "/home/user"
        // The corpus lacks this one's env_file, and a real start has to say so.
        options.requiresInputs = name != "mainnet-blast"
        let layered = layer(stack, spec: spec, options: options, tree: .disk, diagnostics: &found)
        let result = try #require(layered, "\(found.list.map(\.description))")
        #expect(result.components.map(\.name) == stack.pods.map(\.name))
        #expect(Set(result.components.flatMap(\.serviceNames)) == Set(result.project.services.keys))
        // One number may be published for TCP and for UDP.
        let published = result.project.services.values.flatMap(\.ports).compactMap { port in
            port.published.map { "\($0.lowerBound)/\(port.transport)" }
        }
        #expect(Set(published).count == published.count)
    }
}
