import Compose
import Deployments
import OrderedCollections
import Rendering
import Runtimes
import Specs
import Stacks
import TestSupport
import Testing
import YAML

/// What new stacks, specs and deployments are made of, without a command line.
@Suite struct AuthoringCallsTests {
    private func withService(
        _ body: (DeploymentService, _ directory: String) async throws -> Void
    ) async throws {
        try await withTemporaryDirectory { directory in
            let host = DeploymentHost(
                environment: ["HOME": directory, "PATH": "/usr/bin:/bin"], workingDirectory: directory)
            try await body(DeploymentService(host), directory)
        }
    }

    @Test func `a new stack is decided, written, and refused where it is already`() async throws {
        try await withService { service, directory in
            let request = NewStackRequest(name: "fresh", .template(.webApp))
            let stack = try service.newStack(request)
            #expect(stack.buildsImages && stack.shownRoot == "")
            #expect(!Files.exists(directory + "/stacks"))
            try stack.write()
            #expect(try service.host.resolver().resolve("./stacks/fresh").name == "fresh")
            let error = #expect(throws: DeploymentError.self) { try service.newStack(request) }
            #expect(error?.message.hasPrefix("stacks/fresh, ") == true)
        }
    }

    @Test func `a compose file outside the root is refused`() async throws {
        try await withService { service, directory in
            try Files.makeDirectory(directory + "/repo")
            try Files.write(Array("services: {a: {image: x}}\n".utf8), to: directory + "/compose.yaml")
            var request = NewStackRequest(name: "fresh", .composeFile("compose.yaml"))
            request.directory = "repo"
            let error = #expect(throws: DeploymentError.self) { try service.newStack(request) }
            #expect(error?.code == .cannotCreate)
            request.directory = nil
            #expect(try service.newStack(request).files.contains { $0.text.contains("../compose.yaml") })
        }
    }

    @Test func `a spec says what was asked for, and another one that is there is kept`() async throws {
        try await withService { service, directory in
            try service.newStack(NewStackRequest(name: "fresh", .template(.service))).write()
            var request = NewSpecRequest(stack: "./stacks/fresh")
            request.target = .podman
            request.config = ["WORD": Located("one")]
            let spec = try await service.newSpec(request)
            #expect(spec.target == .podman && spec.reason == nil)
            #expect(try service.write(spec, to: "spec.yml") == nil)
            #expect(try service.write(spec, to: "spec.yml") == nil, "the same is not written again")
            request.config = ["WORD": Located("two")]
            #expect(try await service.write(service.newSpec(request), to: "spec.yml") == "spec.yml.bak")
            #expect(String(decoding: try Files.read(directory + "/spec.yml.bak"), as: UTF8.self).contains("one"))
            #expect(String(decoding: try Files.read(directory + "/spec.yml"), as: UTF8.self).contains("two"))
        }
    }

    @Test func `options of a cluster are refused without one`() async throws {
        try await withService { service, _ in
            try service.newStack(NewStackRequest(name: "fresh", .template(.service))).write()
            var request = NewSpecRequest(stack: "./stacks/fresh")
            request.imageRegistry = "registry.example.com"
            let error = await #expect(throws: InvalidInput.self) { try await service.newSpec(request) }
            #expect(error?.diagnostics.first?.what.contains("--image-registry goes with --deploy-to k8s only") == true)
        }
    }

    @Test(arguments: [
        ("https://app.example.com/path", "app.example.com", "/path"), ("http://a.b", "a.b", "/"),
    ])
    func `a route is a URL's host name and path`(url: String, host: String, path: String) {
        let route = WebappRequest.Route(url: url)
        #expect(route?.host == host && route?.path == path)
    }

    @Test(arguments: ["app.example.com", "ftp://a.b", "https://"])
    func `what is not a URL with a host is not a route`(url: String) {
        #expect(WebappRequest.Route(url: url) == nil)
    }

    @Test func `an export removes what an earlier one wrote, and nothing else`() async throws {
        try await withTemporaryDirectory { directory in
            try Files.write(Array((KustomizeBase.header + "old").utf8), to: directory + "/old.yaml")
            try Files.write(Array("mine".utf8), to: directory + "/mine.yaml")
            try KustomizeExport(RenderedDeployment(), directory: directory).write()
            #expect(try Files.list(directory) == ["kustomization.yaml", "mine.yaml"])
        }
    }

    @Test(arguments: [("", "is empty"), ("\n", "is empty"), (nil, "does not exist")] as [(String?, String)])
    func `a token file without a token is an error`(content: String?, reason: String) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/token"
            if let content { try Files.write(Array(content.utf8), to: file) }
            let login = RegistryCredential(server: "r.example.com", username: "u", tokenFile: file)
            let error = #expect(throws: DeploymentError.self) { try login.token(environment: [:]) }
            #expect(error?.code == .missing && error?.message.hasSuffix(reason) == true, "\(String(describing: error))")
        }
    }

    @Test func `an image is chosen by its name or by its last part`() throws {
        let images = ["cerc/foundry", "cerc/geth", "web"]
        #expect(ImageFilter(included: ["foundry", "web"]).chosen(images) == ["cerc/foundry", "web"])
        #expect(ImageFilter(excluded: ["cerc/geth"]).chosen(images) == ["cerc/foundry", "web"])
        let error = #expect(throws: DeploymentError.self) { try ImageFilter(excluded: ["oundry"]).check(images) }
        #expect(error?.message == "the stack has no image oundry")
    }
}
