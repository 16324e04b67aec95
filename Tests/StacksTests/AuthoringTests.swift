import Compose
import OrderedCollections
import TestSupport
import Testing
import YAML

@testable import Specs
@testable import Stacks

@Suite struct AuthoringTests {
    @Test(arguments: StackTemplate.allCases)
    func `a stack of each template is found, has no problem and layers without an error`(_ template: StackTemplate)
        throws
    {
        let files = newStack("fresh", template: template)
        #expect(files.last?.path == "stacks/fresh/stack.yml", "what is cut short is not a stack")
        let texts = Dictionary(uniqueKeysWithValues: files.map { ("/work/\($0.path)", $0.text) })
        let executables = files.filter(\.isExecutable).map { "/work/\($0.path)" }
        let tree = tree(texts, executables: executables)
        let stack = try resolver(tree).resolve("./stacks/fresh")
        #expect(stack.problems.isEmpty, "\(stack.problems)")
        var diagnostics = Diagnostics()
        var spec = Spec(file: "spec.yml", directory: "/work")
        spec.config["DB_PASSWORD"] = Located("x")
        let project = layer(stack, spec: spec, options: LayerOptions(), tree: tree, diagnostics: &diagnostics)
        #expect(!diagnostics.hasErrors, "\(diagnostics.list)")
        #expect(project?.project.services.isEmpty == (template == .empty))
    }

    @Test func `a stack of a compose file runs it where it stands, with its own directory and .env`() throws {
        let files = newStack("fresh", composeFile: "app/compose $x.yaml")
        var texts = Dictionary(uniqueKeysWithValues: files.map { ("/work/\($0.path)", $0.text) })
        texts["/work/app/compose $x.yaml"] = "services: {web: {image: '${IMAGE}', env_file: web.env}}\n"
        texts["/work/app/.env"] = "IMAGE=nginx\n"
        texts["/work/app/web.env"] = "A=1\n"
        let tree = tree(texts)
        let stack = try resolver(tree).resolve("./stacks/fresh")
        var diagnostics = Diagnostics()
        let spec = Spec(file: "spec.yml", directory: "/work")
        let layered = layer(stack, spec: spec, options: LayerOptions(), tree: tree, diagnostics: &diagnostics)
        #expect(diagnostics.list.isEmpty, "\(diagnostics.list)")
        #expect(layered?.project.services["web"]?.image == "nginx")
        #expect(layered?.environment["web"]?.map(\.name) == ["A"])
    }

    @Test(arguments: ["", "../x", "a/b", ".hidden", "-x", "a b", String(repeating: "x", count: 61)])
    func `a name that would lead elsewhere or is not a name is refused`(_ name: String) {
        #expect(throws: StackError.self) { try checkedStackName(name) }
    }

    @Test(arguments: DocumentSchema.allCases)
    func `the JSON Schemas in docs are those of the tables`(_ document: DocumentSchema) throws {
        try expectGolden(
            document.node.json(pretty: true) + "\n", "docs/schemas/\(document.rawValue).schema.json")
    }

    @Test func `a rule's pattern passes what the rule passes`() throws {
        let samples = [
            "a", "web:8080", "/x/y", "~/x", "A_1", "a-b", "a.b", "app.example.com", "0.5", "x y", "ä", "\n", "a:1",
            "1a",
        ]
        let rules: [TextRule] = [.nonEmpty, .name, .variable, .label, .servicePort, .urlPath, .absolutePath]
        for rule in rules {
            let pattern = try Regex(#require(rule.pattern))
            for sample in samples where rule.accepts(sample) {
                #expect(sample.contains(pattern), "\(rule.description): \(sample)")
            }
        }
    }
}
