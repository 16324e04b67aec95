import Testing

@testable import Egress

@Suite struct NamePatternTests {
    @Test func `a name stands for itself on the ordinary ports`() throws {
        let pattern = try #require(NamePattern("GitHub.com."))
        #expect(pattern.matches("github.com", port: 443))
        #expect(pattern.matches("github.com", port: 80))
        #expect(!pattern.matches("github.com", port: 22))
        #expect(!pattern.matches("api.github.com", port: 443))
        #expect(!pattern.matches("notgithub.com", port: 443))
    }

    @Test func `a wildcard stands for the names below, not for the name itself`() throws {
        let pattern = try #require(NamePattern("*.debian.org"))
        #expect(pattern.matches("deb.debian.org", port: 443))
        #expect(pattern.matches("a.b.debian.org", port: 443))
        #expect(!pattern.matches("debian.org", port: 443))
        #expect(!pattern.matches("evildebian.org", port: 443))
    }

    @Test func `a port stands for that port alone`() throws {
        let pattern = try #require(NamePattern("example.org:8443"))
        #expect(pattern.matches("example.org", port: 8443))
        #expect(!pattern.matches("example.org", port: 443))
    }

    @Test(arguments: [
        "", "*", "*.", "*.org", "a b", "-a.org", "a..org", "http://a.org", "a.org:0", "a.org/x", "*a.org", "a.*.org",
    ])
    func `what is not a pattern is none`(_ text: String) {
        #expect(NamePattern(text) == nil)
    }
}
