import Compose
import Deployments
import ExternalTools
import FoundationEssentials
import Rendering
import Specs
import TestSupport
import Testing
import YAML

@testable import Runtimes

/// `configs:` and `secrets:` that are `external`: podman's own store has them, under the name that is written.
@Suite struct ExternalFileTests {
    private func rendered(_ compose: String, namespace: String = "so-x") throws -> RenderedDeployment {
        var diagnostics = Diagnostics()
        let tree = FileTree.memory(["/p/compose.yml": Array(compose.utf8)])
        let project = layer(composeFiles: ["/p/compose.yml"], tree: tree, diagnostics: &diagnostics)
        let options = RenderOptions(target: .podman, namespace: namespace, deploymentID: "i", stackName: "test")
        let result = try #require(project, "\(diagnostics.list)").render(options, tree, &diagnostics)
        try diagnostics.throwIfErrors()
        return result
    }

    private func compose(_ section: String, name: String, image: String = "image:1", command: String = "x") -> String {
        """
        services: {web: {image: "\(image)", pull_policy: never, command: ["/bin/sh", "-c", "\(command)"], \(section): [given]}}
        \(section): {given: {external: true, name: "\(name)"}}
        """
    }

    private func translate(_ rendered: RenderedDeployment, stored: [String]) -> PodTranslator.Result {
        var fixture = Fixture(directory: "/d", namespace: "so-x", image: "image:1", id: "i")
        fixture.rendered = rendered
        var translator = PodTranslator(model: fixture.model, secrets: [:], storedSecrets: stored, key: [1])
        return translator.translate()
    }

    @Test(arguments: [("secrets", "/run/secrets/given"), ("configs", "/given")])
    func `the one of that very name is mounted`(section: String, path: String) throws {
        let result = translate(try rendered(compose(section, name: "db_Pass.word")), stored: ["db_Pass.word"])
        #expect(result.findings.filter { $0.severity == .error }.isEmpty && result.failures.isEmpty)
        let options = result.pods.first?.containers.first?.options.arguments.joined(separator: " ") ?? ""
        #expect(options.contains("--secret db_Pass.word,type=mount,target=\(path),mode=0444"), "\(options)")
    }

    @Test(arguments: ["secrets", "configs"])
    func `one that is not there is an error with its place`(section: String) throws {
        let result = translate(try rendered(compose(section, name: "lost")), stored: ["other", "lost2", "lo"])
        let error = result.findings.first { $0.severity == .error }
        #expect(error?.mark?.file == "/p/compose.yml" && error?.mark?.line == 2, "\(result.findings)")
        #expect(error?.hint?.hasPrefix("podman secret create lost FILE") ?? false)
    }

    @Test(arguments: ["secrets", "configs"])
    func `a secret that so made for a deployment is nobody else's`(section: String) throws {
        let name = "so-other.db-env.PASSWORD.0123456789ab"
        let result = translate(try rendered(compose(section, name: name)), stored: [name])
        #expect(result.findings.contains { $0.severity == .error && $0.what.contains("a deployment's own") })
        #expect(result.pods.flatMap(\.all).flatMap(\.secretObjects).isEmpty)
    }

    @Test func `what secrets import has made goes on being used`() throws {
        let result = translate(try rendered(compose("secrets", name: "given")), stored: ["given.given"])
        #expect(result.findings.filter { $0.severity == .error }.isEmpty && result.failures.isEmpty)
        #expect(result.pods.flatMap(\.all).flatMap(\.secretObjects).map(\.name) == ["given.given"])
    }

    @Test(.pods) func `a service reads both from podman's store`() async throws {
        try await withFixture { fixture in
            let name = "External_\(fixture.id)"
            let made = try await TestSupport.Podman.run(["secret", "create", name, "/proc/self/fd/0"], input: "value")
            try #require(made.succeeded, "\(made)")
            let text = """
                services:
                  web:
                    image: "\(fixture.image)"
                    pull_policy: never
                    command: ["/bin/sh", "-c", "cat /run/secrets/a /b; echo; exec sleep 1000"]
                    secrets: [a]
                    configs: [b]
                secrets: {a: {external: true, name: "\(name)"}}
                configs: {b: {external: true, name: "\(name)"}}
                """
            fixture.rendered = try rendered(text, namespace: fixture.namespace)
            try await fixture.handle.start()
            try await eventually("printed") { try await fixture.output(of: "web") == ["valuevalue"] }
            try await fixture.handle.stop()
            try await TestSupport.Podman.run(["secret", "rm", name])
        }
    }
}

extension LayeredProject {
    fileprivate func render(
        _ options: RenderOptions, _ tree: FileTree, _ diagnostics: inout Diagnostics
    ) -> RenderedDeployment {
        Rendering.render(self, options: options, tree: tree, diagnostics: &diagnostics)
    }
}
