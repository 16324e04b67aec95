import Compose
import OrderedCollections
import Stacks
import TestSupport
import Testing
import YAML

@testable import Specs

/// The built-in stack and its example specs, as they are shipped.
@Suite struct DemoTests {
    private func demo() throws -> ResolvedStack {
        try resolver(.disk, builtIn: Shared.packageRoot, base: "/nowhere").resolve("demo")
    }

    @Test func `the demo resolves with its hook`() async throws {
        let stack = try demo()
        #expect(stack.problems.filter { $0.severity == .error } == [])
        #expect(stack.hooks[.initialize] != nil)
    }

    @Test(arguments: ["demo.yml", "demo-tuned.yml"])
    func `an example spec layers over the demo without a diagnostic`(name: String) throws {
        let (spec, warnings) = try loadSpec(Shared.packageRoot + "/deployments/examples/" + name, tree: .disk)
        #expect(warnings == [])
        var diagnostics = Diagnostics()
        let result = layer(try demo(), spec: spec, tree: .disk, diagnostics: &diagnostics)
        #expect(diagnostics.list.map(\.description) == [])
        let page = try #require(result?.environment["page"])
        let authorization = try #require(page.first { $0.name == "DEMO_AUTHORIZATION" })
        #expect(authorization.value.masked == "Bearer ***")
        #expect(result?.project.services["page"]?.ports.count == 1)
        #expect(result?.generators.keys == ["DEMO_TOKEN"])
        #expect(result?.configEnv.text.contains("DEMO_TOKEN") == false)
        #expect(result?.jobs["demo-seed"]?.services["demo-seed"] != nil)
    }
}
