import KubernetesObjects
import TestSupport
import Testing
import YAML

@Suite struct ReferencesTests {
    @Test(
        "A text that is escaped expands to itself",
        arguments: [
            "", "$", "$$", "$$$", "a$$b", "$(X)", "$$(X)", "$$$(X)", "$(", "$()", "${X}", "$X", "cost: 5$", "x$é",
            "$$é", "a$(b$(c))",
        ])
    func roundTrip(_ text: String) {
        #expect(expandingReferences(escapingReferences(text)) { _ in "WRONG" } == text)
    }

    @Test("A dollar before a reference that is generated does not escape it")
    func beforeReference() {
        let text = escapingReferences("price $", before: UInt8(ascii: "$")) + "$(X)"
        #expect(expandingReferences(text) { $0 == "X" ? "secret" : nil } == "price $secret")
    }

    @Test("Only references are escaped")
    func minimal() {
        #expect(escapingReferences("echo $HOME ${USER} $1") == "echo $HOME ${USER} $1")
        #expect(escapingReferences("$(X)") == "$$(X)")
    }

    @Test("An unknown name stays as it stands, as Kubernetes leaves it")
    func unknown() { #expect(expandingReferences("$(X) $(Y)") { $0 == "Y" ? "y" : nil } == "$(X) y") }
}
