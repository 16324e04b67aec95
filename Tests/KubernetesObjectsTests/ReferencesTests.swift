import KubernetesObjects
import TestSupport
import Testing
import YAML

@Suite struct ReferencesTests {
    @Test(arguments: [
        "", "$", "$$", "$$$", "a$$b", "$(X)", "$$(X)", "$$$(X)", "$(", "$()", "${X}", "$X", "cost: 5$", "x$é",
        "$$é", "a$(b$(c))",
    ]) func `a text that is escaped expands to itself`(_ text: String) {
        #expect(expandingReferences(escapingReferences(text)) { _ in "WRONG" } == text)
    }

    @Test func `a dollar before a reference that is generated does not escape it`() {
        let text = escapingReferences("price $", before: UInt8(ascii: "$")) + "$(X)"
        #expect(expandingReferences(text) { $0 == "X" ? "secret" : nil } == "price $secret")
    }

    @Test func `only references are escaped`() {
        #expect(escapingReferences("echo $HOME ${USER} $1") == "echo $HOME ${USER} $1")
        #expect(escapingReferences("$(X)") == "$$(X)")
    }

    @Test func `an unknown name stays as it stands, as Kubernetes leaves it`() {
        #expect(expandingReferences("$(X) $(Y)") { $0 == "Y" ? "y" : nil } == "$(X) y")
    }
}
