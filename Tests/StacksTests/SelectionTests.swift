import TestSupport
import Testing
import YAML

@testable import Specs
@testable import Stacks

@Suite struct SelectionTests {
    private let locators = ["github.com/org/app@v1", "git.example.com/org/app", "org/library"].compactMap {
        RepositoryLocator($0)
    }

    private func chosen(_ selection: RepositorySelection) throws -> [String] {
        try selection.applied(to: locators).map(\.description)
    }

    @Test func `repositories are chosen by any end of their name`() throws {
        #expect(try chosen(RepositorySelection(include: ["library"])) == ["github.com/org/library"])
        #expect(try chosen(RepositorySelection(include: ["github.com/org/app"])) == ["github.com/org/app@v1"])
        #expect(try chosen(RepositorySelection(include: ["git.example.com/org/app@x"])) == ["git.example.com/org/app"])
        #expect(try chosen(RepositorySelection(exclude: ["app"])) == ["github.com/org/library"])
    }

    @Test func `branches overrule the pins of the stack`() throws {
        var selection = RepositorySelection()
        try selection.read(branches: "github.com/org/app@feature/x, library@v2")
        #expect(
            try chosen(selection) == [
                "github.com/org/app@feature/x", "git.example.com/org/app", "github.com/org/library@v2",
            ])
    }

    @Test func `an unknown repository and a broken branch are refused`() {
        let unknown = #expect(throws: StackError.self) { try chosen(RepositorySelection(include: ["none"])) }
        #expect(unknown?.description.contains("its repositories are github.com/org/app") == true)
        for text in ["app", "app@", "@x", "app@--upload-pack=x", "app@a..b"] {
            var selection = RepositorySelection()
            #expect(throws: StackError.self) { try selection.read(branches: text) }
        }
    }

    private func stack(_ text: String, source: ResolvedStack.Source) throws -> ResolvedStack {
        var diagnostics = Diagnostics()
        let file = try #require(parseStackFile(Array(text.utf8), file: "stack.yml", diagnostics: &diagnostics))
        return ResolvedStack(name: "s", directory: "/r/stacks/s", root: "/r", source: source, file: file)
    }

    @Test func `the repositories of pods count, each repository once`() throws {
        let text =
            "repos: [org/app@v1]\npods:\n  - {name: a, repository: org/app}\n  - {name: b, repository: org/other}\n"
        let needed = try stack(text, source: .external).neededRepositories()
        #expect(needed.map(\.description) == ["github.com/org/app@v1", "github.com/org/other"])
    }

    @Test func `one repository cannot be wanted at two references`() throws {
        let stack = try stack("repos: [org/app@v1, org/app@v2]", source: .external)
        #expect(throws: InvalidInput.self) { try stack.neededRepositories() }
    }

    @Test func `a stack that came from elsewhere must not name paths of this host`() throws {
        let text = "repos: [/srv/private]"
        #expect(throws: InvalidInput.self) {
            try stack(text, source: .fetched("github.com/org/x")).neededRepositories()
        }
        #expect(try stack(text, source: .external).neededRepositories().count == 1)
        #expect(try stack(text, source: .fetched("localhost/srv/x")).neededRepositories().count == 1)
    }

    @Test(arguments: [
        ("org/app", false, "https://github.com/org/app"), ("org/app", true, "git@github.com:org/app"),
        ("git@host.io:org/app", false, "git@host.io:org/app"), ("ssh://me@host:22/a/b", false, "ssh://me@host:22/a/b"),
        ("http://host:8080/a/b", false, "http://host:8080/a/b"), ("/srv/a", true, "/srv/a"),
    ])
    func `git is given the URL that the locator says`(text: String, ssh: Bool, url: String) {
        #expect(RepositoryLocator(text)?.url(prefersSSH: ssh) == url)
    }
}
