import OrderedCollections
import Specs
import Testing
import YAML

@testable import Workspaces

@Suite struct WizardTests {
    private func wizard(_ defaults: String = "{}", given: DefinitionFlags = DefinitionFlags()) throws -> Wizard {
        Wizard(
            defaults: try loadYAMLDocument(Array(defaults.utf8), file: "x"), given: given,
            templates: ["default", "python"], agents: ["claude-code", "codex"])
    }

    private func defaults(_ question: Wizard.Question) -> Wizard.Answer {
        switch question.kind {
        case .one(_, let index): .choices([index])
        case .many(_, let indices): .choices(indices.sorted())
        case .text(let text, _): .text(text)
        }
    }

    @Test func `the defaults taken unchanged are the proposal`() throws {
        let text =
            "template: python\nlanguages: {python: \"3.12\"}\ntools: [git, \"apt:gdb\"]\nports: [80]\nresources: {cpus: \"2\"}\n"
        let wizard = try wizard(text)
        let node = wizard.document(wizard.questions.map(defaults))
        var diagnostics = Diagnostics()
        let definition = WorkspaceDefinition(layers: [
            DefinitionDocument(node, layer: .workspace, diagnostics: &diagnostics)
        ])
        #expect(diagnostics.list.isEmpty)
        #expect(definition.source == .template("python"))
        #expect(definition.languages == ["python": "3.12"])
        #expect(definition.tools == ["git", "apt:gdb"])
        #expect(definition.ports == [80])
        #expect(definition.resources.cpus?.text == "2")
    }

    @Test func `a question that a flag has answered is not asked, and without a terminal the missing flags are named`()
        throws
    {
        var flags = DefinitionFlags()
        flags.template = "python"
        flags.tools = ["jq"]
        let wizard = try wizard(given: flags)
        #expect(!wizard.questions.contains { $0.key == "template" || $0.key == "tools" })
        let hint = wizard.missingFlags.hint ?? ""
        #expect(hint.contains("--yes") && hint.contains("--language") && !hint.contains("--tool"))
    }

    @Test func `a version of a database and one on the host stay what they are`() throws {
        let wizard = try wizard("databases: [{postgresql: \"16\"}, {mysql: host}]\n")
        let node = wizard.document(wizard.questions.map(defaults))
        #expect(
            node.value("databases")?.sequence?.map { $0.json(pretty: false) } == [
                #"{"postgresql":"16"}"#, #"{"mysql":"host"}"#,
            ])
    }

    @Test func `a language that is not chosen any more is gone`() throws {
        let wizard = try wizard("languages: {python: \"3.12\"}\nsetup: [make]\n")
        let answers = wizard.questions.map { $0.key == "languages" ? Wizard.Answer.choices([]) : defaults($0) }
        let node = wizard.applied(wizard.document(answers))
        #expect(node.value("languages")?.mapping?.entries.isEmpty ?? true)
        #expect(node.value("setup")?.sequence?.count == 1)
    }
}
