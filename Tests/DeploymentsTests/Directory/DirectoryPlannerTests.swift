import Compose
import FoundationEssentials
import Glibc
import Specs
import Stacks
import TestSupport
import Testing
import YAML

@testable import Deployments
@testable import Runtimes

/// What a deployment directory is made of, decided from a stack in memory.
@Suite struct DirectoryPlannerTests {
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
        let contents = planDirectoryContents(
            request, project: try #require(project, "\(diagnostics.list)"), diagnostics: &diagnostics)
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

    @Test func `a file that a service writes to is its own after the first create`() throws {
        let (contents, _) = try contents(
            "services:\n  web:\n    image: web\n    volumes: [\"./acme.json:/acme.json\", \"../config/shop/web.conf:/web.conf\"]\n",
            files: ["/repo/compose/acme.json": "{}", "/repo/config/shop/web.conf": "stack's"])
        #expect(contents.owned == ["compose/acme.json"])
        #expect(contents.seeds.map(\.path) == ["compose/acme.json"])
        #expect(contents.seeds.map(\.followsStack) == [true])
        #expect(contents.files.contains { $0.path == "config/shop/web.conf" })
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

    @Test(arguments: ["./.state", "./hooks", ".", "./config.env"])
    func `a volume of the spec is never what the deployment keeps for itself`(path: String) throws {
        let (_, problems) = try contents(
            "services:\n  db:\n    image: db\n    volumes: [\"data:/data\"]\nvolumes:\n  data:\n",
            spec: "volumes:\n  data: \(path)\n")
        #expect(problems.contains { $0.severity == .error && $0.mark?.file == "/spec.yml" }, "\(problems)")
    }

    @Test(arguments: ["config/rules", "/operator/rules"])
    func `the files of a ConfigMap are copied from the stack or from the operator's directory`(path: String) throws {
        let (contents, problems) = try contents(
            "services:\n  db:\n    image: db\n    volumes: [\"rules:/rules\"]\nvolumes:\n  rules:\n",
            spec: "configmaps:\n  rules: \(path == "config/rules" ? "monitoring/rules" : path)\n",
            files: ["/repo/monitoring/rules/a.yml": "x", "/operator/rules/a.yml": "x"])
        #expect(contents.files.contains { $0.path == "configmaps/rules/a.yml" }, "\(problems)")
    }

    @Test func `a ConfigMap's directory that is nowhere is an error`() throws {
        let (_, problems) = try contents("services:\n  a:\n    image: a\n", spec: "configmaps:\n  m: no/where\n")
        #expect(problems.contains { $0.what.contains("no directory no/where") })
    }
}

/// What a stack's author could put into a repository to get at the operator's files.
@Suite struct HostileStackTests {
    /// Lays a stack on disk out, after something has been done to it.
    private func errors(
        compose: String, spec: String = "", _ change: (_ stack: String, _ outside: String) throws -> Void
    ) async throws -> (errors: [String], seeds: [String]) {
        let directory = try TemporaryRoot()
        let root = directory.path + "/stack"
        try write("private\n", to: directory.path + "/id_rsa")
        try write("name: shop\npods: [shop]\n", to: root + "/stacks/shop/stack.yml")
        try write(compose, to: root + "/compose/docker-compose-shop.yml")
        try write("x\n", to: root + "/config/data/seed")
        try write("x\n", to: root + "/config/shop/a")
        try change(root, directory.path)
        let locations = StackLocations(workingDirectory: "/", builtInRoot: nil, repositoryBase: "/nowhere")
        let stack = try StackResolver(locations: locations, tree: .disk).resolve(root + "/stacks/shop")
        var diagnostics = Diagnostics()
        let text = "stack: \(root)/stacks/shop\ndeploy-to: podman\n" + spec
        let parsed = parseSpec(Array(text.utf8), file: "/spec.yml", directory: "/", diagnostics: &diagnostics)
        let request = CreateRequest(
            stack: stack, spec: try #require(parsed), specText: Array(text.utf8), directory: directory.path + "/d",
            stackSource: root, toolVersion: "1", options: LayerOptions())
        let project = layer(stack, spec: request.spec, tree: .disk, diagnostics: &diagnostics)
        let seeds =
            project.map { planDirectoryContents(request, project: $0, diagnostics: &diagnostics).seeds.map(\.path) }
            ?? []
        return (diagnostics.list.filter { $0.severity == .error }.map(\.description), seeds)
    }

    private static let volume =
        "services:\n  a:\n    image: a\n    volumes: [\"data:/data\", \"../config/shop:/c\"]\nvolumes:\n  data:\n"

    @Test(arguments: ["config/data/key", "config/shop/key", "config/data", "config/shop", "config/data/deep/key"])
    func `a link to the operator's file is an error that names both`(place: String) async throws {
        let found = try await errors(compose: Self.volume, spec: "volumes: {data: ./data/data}\n") { root, outside in
            try FileManager.default.createDirectory(
                atPath: Files.parent(of: "\(root)/\(place)"), withIntermediateDirectories: true)
            try Files.remove("\(root)/\(place)")
            let isDirectory = place == "config/data" || place == "config/shop"
            try FileManager.default.createSymbolicLink(
                atPath: "\(root)/\(place)", withDestinationPath: isDirectory ? outside : outside + "/id_rsa")
        }
        #expect(found.errors.contains { $0.contains(place) || $0.contains("points outside") }, "\(found.errors)")
        #expect(!found.errors.isEmpty && !found.seeds.contains { $0.hasSuffix("id_rsa") })
    }

    @Test(.timeLimit(.minutes(1))) func `a directory that holds itself by a link ends, and is named`() async throws {
        let found = try await errors(compose: Self.volume, spec: "volumes: {data: ./data/data}\n") { root, _ in
            try FileManager.default.createSymbolicLink(atPath: root + "/config/data/loop", withDestinationPath: "..")
            try FileManager.default.createSymbolicLink(
                atPath: root + "/config/shop/again", withDestinationPath: "../data")
        }
        #expect(found.errors.contains { $0.contains("config/data/loop") }, "\(found.errors)")
    }

    @Test(.timeLimit(.minutes(1))) func `a named pipe in a volume's seeds is left out and not waited for`() async throws
    {
        let found = try await errors(compose: Self.volume, spec: "volumes: {data: ./data/data}\n") { root, _ in
            #expect(mkfifo(root + "/config/data/pipe", 0o644) == 0)
            #expect(mkfifo(root + "/config/shop/pipe", 0o644) == 0)
        }
        #expect(found.errors.isEmpty, "\(found.errors)")
        #expect(!found.seeds.contains { $0.hasSuffix("pipe") })
    }
}
