import Compose
import Stacks
import TestSupport
import Testing
import YAML

@testable import Deployments

/// What a deployment directory is made of, decided from a stack in memory.
@Suite struct LayOutTests {
    private static let stackFile = "name: shop\npods: [shop]\n"

    private func contents(
        _ compose: String, spec: String = "", files: [String: String] = [:]
    ) throws -> (DirectoryContents, [Diagnostic]) {
        var all = ["/repo/stacks/shop/stack.yml": Self.stackFile, "/repo/compose/docker-compose-shop.yml": compose]
        all.merge(files) { $1 }
        let tree = FileTree.memory(all.mapValues { Array($0.utf8) })
        let locations = StackLocations(workingDirectory: "/", builtInRoot: nil, repositoryBase: "/repos")
        let stack = try StackResolver(locations: locations, tree: tree).resolve("/repo/stacks/shop")
        var diagnostics = Diagnostics()
        let text = "stack: /repo/stacks/shop\ndeploy-to: podman\n" + spec
        let parsed = parseSpec(Array(text.utf8), file: "/spec.yml", directory: "/", diagnostics: &diagnostics)
        var request = CreateRequest(
            stack: stack, spec: try #require(parsed), specText: Array(text.utf8), directory: "/deployment",
            stackSource: "/repo/stacks/shop", toolVersion: "1", options: LayerOptions())
        request.tree = tree
        let project = layer(stack, spec: request.spec, tree: tree, diagnostics: &diagnostics)
        let contents = layOut(request, project: try #require(project, "\(diagnostics.list)"), diagnostics: &diagnostics)
        return (contents, diagnostics.list)
    }

    @Test func `files that compose files name are taken along at their place`() throws {
        let (contents, _) = try contents(
            """
            services:
              web:
                image: web
                env_file: [../config/shop/web.env, ./local.env]
                volumes: ["../config/shop/page:/page:ro"]
            """,
            files: [
                "/repo/config/shop/web.env": "A=1\n", "/repo/compose/local.env": "B=2\n",
                "/repo/config/shop/page/index.html": "<p>",
            ])
        let paths = Set(contents.files.map(\.path))
        #expect(
            paths == [
                "spec.yml", "stack.yml", "config.env", "compose/docker-compose-shop.yml", "config/shop/web.env",
                "config/shop/page/index.html", "compose/local.env",
            ])
    }

    @Test func `a directory that a service writes to is its own after the first create`() throws {
        let (contents, _) = try contents(
            "services:\n  web:\n    image: web\n    volumes: [\"./uploads:/uploads\", \"./absent:/absent\"]\n",
            files: ["/repo/compose/uploads/first": "1"])
        #expect(contents.owned == ["compose/uploads", "compose/absent"])
        #expect(contents.seeds.map(\.path) == ["compose/uploads/first"])
        #expect(!contents.files.contains { $0.path.hasPrefix("compose/uploads") })
    }

    @Test func `a volume's directory is filled from the config of its name the first time only`() throws {
        let (contents, _) = try contents(
            "services:\n  db:\n    image: db\n    volumes: [\"data:/data\"]\nvolumes:\n  data:\n",
            spec: "volumes:\n  data: ./data/data\n", files: ["/repo/config/data/seed.sql": "x"])
        #expect(contents.directories.contains("data/data"))
        #expect(contents.seeds.map(\.path) == ["data/data/seed.sql"])
    }

    @Test func `the operator's credentials are copied privately and found again`() throws {
        let (contents, _) = try contents(
            "services:\n  web:\n    image: web\n    environment: [TOKEN]\n",
            spec: "credentials-files: [keys.env]\n", files: ["/keys.env": "TOKEN=t\n"])
        let copy = try #require(contents.files.first { $0.content == .copy("/keys.env") })
        #expect(copy.mode == 0o600)
        #expect(contents.inputs == ["/deployment/keys.env": copy.path])
    }
}
