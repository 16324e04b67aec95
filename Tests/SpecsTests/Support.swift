import YAML

@testable import Specs

/// A spec from text, with the diagnostics it gave.
func spec(_ text: String, completeness: SpecCompleteness = .whole) -> (spec: Spec?, messages: [String]) {
    var diagnostics = Diagnostics()
    let spec = parseSpec(
        Array(text.utf8), file: "/d/spec.yml", directory: "/d", completeness: completeness, diagnostics: &diagnostics)
    return (spec, diagnostics.list.map(\.description))
}
