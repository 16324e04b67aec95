import Compose
import FoundationEssentials
import KubernetesObjects
import Rendering
import Specs
import Stacks
import TestSupport
import Testing
import YAML

/// What is rendered for a cluster is what its API takes, by rules that the published schemas do not hold.
@Suite struct APIRulesTests {
    @Test(arguments: GoldenCase.forClusters)
    func `every golden object is sound`(_ item: GoldenCase) throws {
        #expect(try APIRules.problems(of: item.render().deployment.objects) == [])
    }

    @Test(.enabled(if: Shared.directory != nil, Shared.absent), arguments: [RenderOptions.Target.kind, .kubernetes])
    func `every object of the samples that render is sound`(_ target: RenderOptions.Target) throws {
        let root = try Shared.path("corpus/awesome-compose")
        let tree = FileTree.disk
        for name in try FileManager.default.contentsOfDirectory(atPath: root).sorted() {
            var diagnostics = Diagnostics()
            let files = discoverComposeFiles("\(root)/\(name)", tree: tree)
            guard !files.isEmpty, let project = layer(composeFiles: files, tree: tree, diagnostics: &diagnostics) else {
                continue
            }
            let options = RenderOptions(target: target, namespace: "so-x", deploymentID: "so-corpus", stackName: "x")
            let deployment = Rendering.render(project, options: options, tree: tree, diagnostics: &diagnostics)
            guard !diagnostics.list.contains(where: { $0.severity == .error }) else { continue }
            #expect(try APIRules.problems(of: deployment.objects) == [], "\(name)")
        }
    }

    @Test(.enabled(if: Shared.directory != nil, Shared.absent))
    func `every object of the stacks that render is sound`() throws {
        let root = try Shared.path("corpus/stacks")
        let tree = FileTree.disk
        let resolver = StackResolver(
            locations: StackLocations(workingDirectory: root, builtInRoot: nil, repositoryBase: root + "/none"),
            tree: tree)
        for name in try FileManager.default.contentsOfDirectory(atPath: root + "/stacks").sorted()
        where exists("\(root)/stacks/\(name)/stack.yml") {
            var diagnostics = Diagnostics()
            guard let stack = try? resolver.resolve("\(root)/stacks/\(name)"),
                let project = layer(stack, spec: Spec(), tree: tree, diagnostics: &diagnostics)
            else { continue }
            let options = RenderOptions(
                target: .kubernetes, namespace: "so-x", deploymentID: "so-corpus", stackName: name)
            let deployment = Rendering.render(project, options: options, tree: tree, diagnostics: &diagnostics)
            guard !diagnostics.list.contains(where: { $0.severity == .error }) else { continue }
            #expect(try APIRules.problems(of: deployment.objects) == [], "\(name)")
        }
    }

    @Test(arguments: 0..<8)
    func `what random projects render to is sound, or an error`(_ seed: UInt64) throws {
        var projects = RandomProjects(seed: seed)
        var sound = 0
        for _ in 0..<150 {
            let text = projects.next()
            var diagnostics = Diagnostics()
            let files = ["/p/compose.yml": text, "/p/f": "x", "/p/d/a": "#!/bin/sh", "/p/d/b/c": "y"]
            let tree = FileTree.memory(texts: files)
            guard let project = loadProject(files: ["/p/compose.yml"], tree: tree, diagnostics: &diagnostics),
                !diagnostics.list.contains(where: { $0.severity == .error })
            else { continue }
            let options = RenderOptions(target: .kubernetes, namespace: "n", deploymentID: "d", stackName: "s")
            let layered = LayeredProject(stackName: "s", spec: Spec(directory: "/p"), project: project)
            let deployment = Rendering.render(layered, options: options, tree: tree, diagnostics: &diagnostics)
            guard !diagnostics.list.contains(where: { $0.severity == .error }) else { continue }
            sound += 1
            #expect(try APIRules.problems(of: deployment.objects) == [], "\(text)")
        }
        #expect(sound > 20)
    }

    @Test func `the rules find what the API refuses`() throws {
        var rendered = try render("services: {a: {image: i, ports: [\"80\"]}}").deployment
        #expect(try APIRules.problems(of: rendered.objects) == [])
        guard case .deployment(var deployment)? = rendered.objects.last else { return }
        deployment.spec.minReadySeconds = 600
        deployment.spec.template.spec.hostPID = true
        deployment.spec.template.spec.shareProcessNamespace = true
        deployment.spec.template.spec.containers[0].volumeMounts = [
            PodMount(name: "none", mountPath: "/a:b", subPath: "/x")
        ]
        rendered.objects[rendered.objects.count - 1] = .deployment(deployment)
        #expect(try APIRules.problems(of: rendered.objects).count == 5)
    }
}

private typealias PodMount = KubernetesObjects.VolumeMount
