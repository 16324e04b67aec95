import OrderedCollections
import Testing
import YAML

@testable import Specs

@Suite struct StackFileTests {
    func parse(_ text: String) -> (stack: StackFile?, messages: [String]) {
        var diagnostics = Diagnostics()
        let stack = parseStackFile(Array(text.utf8), file: "stack.yml", diagnostics: &diagnostics)
        return (stack, diagnostics.list.map(\.description))
    }

    @Test func `every key is read`() throws {
        let stack = try #require(
            parse(
                """
                version: 1.20
                name: x
                description: d
                repos: [org/a, git.vdb.to/org/b@v1/2]
                containers: [cerc/a, b]
                npms: [n]
                pods: [one, {name: two, repository: org/a, path: p, colocate: true}]
                jobs: [j, {name: k}]
                config: {cli: {key: laconicd.mykey}}
                stacks: [other]
                x-mine: {a: 1}
                """
            ).stack)
        #expect(stack.version == "1.20")
        #expect(stack.repositories.map(\.value.description) == ["github.com/org/a", "git.vdb.to/org/b@v1/2"])
        #expect(stack.pods.map(\.name) == ["one", "two"])
        #expect(stack.pods.map(\.colocate) == [false, true])
        #expect(stack.jobs.map(\.value) == ["j", "k"])
        #expect(stack.config["cli"]?["key"]?.value == StackFile.ConfigSource(service: "laconicd", variable: "mykey"))
        #expect(stack.keys["pods"]?.line == 7)
        #expect(stack.extensions["x-mine"] != nil)
    }

    @Test func `null sections and an empty file are empty`() {
        #expect(parse("repos:\ncontainers: ~\npods:\n").stack?.pods == [])
        #expect(parse("").messages == [])
    }

    @Test func `all faults are reported at once with their places`() {
        let messages = parse("pods: a\npds: [a]\nrepos: [../../x]\njobs: [a/b, ]\nname: {}\ncontainers: [a, a]\n")
            .messages
        #expect(messages.contains("stack.yml:1:7: error: pods must be a list, and is the single value 'a'"))
        #expect(messages.contains("stack.yml:2:1: error: the file: unknown key 'pds'\nhint: did you mean 'pods'?"))
        #expect(messages.contains { $0.hasPrefix("stack.yml:3:9: error: repos[0]: '../../x' is not a repository") })
        #expect(messages.contains { $0.hasPrefix("stack.yml:4:8: error: jobs[0]: 'a/b' is not a name") })
        #expect(messages.contains { $0.hasPrefix("stack.yml:5:7: error: name must be a single value") })
        #expect(messages.contains { $0.hasPrefix("stack.yml:6:17: error: containers: 'a' is listed twice") })
    }

    @Test(arguments: [
        ("org/repo", "github.com/org/repo"), ("host.io/org/repo", "host.io/org/repo"),
        ("https://host.io/org/repo.git@main", "host.io/org/repo@main"), ("git@host.io:org/repo", "host.io/org/repo"),
        ("git@host.io/org/repo@feature/x", "host.io/org/repo@feature/x"), ("GitHub.com/a/b", "github.com/a/b"),
        ("org/repo@v1.0.0-rc.1", "github.com/org/repo@v1.0.0-rc.1"), ("/srv/git/repo.git@v1", "/srv/git/repo.git@v1"),
        ("ssh://me@host:2222/a/b", "host:2222/a/b"), ("http://127.0.0.1:8080/a/b", "127.0.0.1:8080/a/b"),
    ])
    func `a locator is read in each of its forms`(text: String, normal: String) {
        #expect(RepositoryLocator(text)?.description == normal)
    }

    @Test(arguments: [
        "", "repo", "../a/b", "a/../b/c", "org/repo@", "org/repo@-x", "org/repo@a..b", "org/repo@a b", "-o/a/b",
        "https://host/repo", "org/--upload-pack", "a//b", "org/repo\n@x", "file:///a/../etc",
        "file://host/a/b", "ext::sh -c x", "--upload-pack=x", "https://u:p@host/a/b", "/a/b@--x", "ssh://-o/a/b",
        "git@-o:a/b",
    ])
    func `a hostile or broken locator is refused`(text: String) {
        #expect(RepositoryLocator(text) == nil)
    }
}
