import Foundation
import TestSupport
import Testing

@testable import Specs

@Suite struct SpecReferenceTests {
    @Test func `the page of spec.yml's keys is the table that reads them`() throws {
        let introduction = """
            # The keys of spec.yml

            Generated from the table that reads, checks and writes spec.yml (`SO_UPDATE_GOLDENS=1 scripts/test --filter SpecReference` updates it). `<name>` stands for a name that you choose, `[]` for an entry of a list. Keys that begin with `x-` are ignored. \
            Examples: [README](../README.md#specyml).


            """
        try expectGolden(introduction + Spec.reference, "docs/spec.md")
        let readme = try String(contentsOfFile: Shared.packageRoot + "/README.md", encoding: .utf8)
        #expect(readme.contains("(docs/spec.md)"), "the README leads to it")
    }
}
