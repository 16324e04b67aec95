import Testing

@testable import Compose

@Suite struct TemplateTextTests {
    @Test func `a secret flows through text as a placeholder and comes out as a piece`() {
        let text = TemplateText(pieces: [.text("a"), .text("b="), .secret("S"), .text("")])
        #expect(text.pieces == [.text("ab="), .secret("S")])
        #expect(TemplateText(text.encoded) == text)
        #expect(text.masked == "ab=***")
        #expect("\(text)" == "ab=***")
        #expect(text.literal == nil)
        #expect(text.resolved { $0 == "S" ? "v" : nil } == "ab=v")
        #expect(text.resolved { _ in nil } == nil)
    }

    @Test func `a placeholder is found only where its scalars stand`() {
        #expect(Placeholder.isIn("a\u{10FF50}"))
        #expect(Placeholder.isIn("\u{10FF51}"))
        #expect(!Placeholder.isIn("\u{10FF4F}\u{10FF52}\u{10FFFD}"))
        #expect(!Placeholder.isIn(""))
    }
}
