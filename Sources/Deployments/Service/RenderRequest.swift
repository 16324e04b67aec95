package import Compose
package import Rendering
import Specs
import Stacks
package import YAML

/// What is rendered to Kubernetes objects, and how.
package struct RenderRequest: Sendable {
    /// Where the services come from.
    package enum Source: Sendable {
        /// A deployment's directory, as the user has written it.
        case deployment(String)
        /// A stack by its path or name, a spec's file, or both; the spec names the stack where nobody else does.
        case stack(name: String?, specFile: String?)
        /// Compose files, absolute paths; what is not a file of the disk stands in the tree.
        case composeFiles([String], FileTree)
    }

    package var source: Source
    package var profiles: [String] = []
    /// Nil: the spec's own target, or none in particular where nobody names one.
    package var target: RenderOptions.Target?
    package var namespace: String?
    /// Whether compose keys without an equivalent are errors.
    package var isStrict = false
    /// Whether the result tells what became of every key.
    package var listsDispositions = false

    package init(_ source: Source) { self.source = source }

    func adjust(_ options: inout RenderOptions, hasTarget: Bool, homeDirectory: String?) {
        options.homeDirectory = homeDirectory
        if let target { options.target = target } else if !hasTarget { options.target = .none }
        if let namespace { options.namespace = namespace }
        options.isStrict = isStrict
        options.listsDispositions = listsDispositions
    }
}

extension DeploymentService {
    /// Renders what a request names; nothing is run or changed. Users that only the images know by their numbers are looked up in the
    /// images of this host, where a cluster needs the numbers.
    ///
    /// - Throws: `InvalidInput` with every problem of the files at once, ``StackError`` and ``DeploymentError`` where there is nothing to read.
    package func render(_ request: RenderRequest) async throws -> (rendered: RenderedDeployment, warnings: [Diagnostic])
    {
        switch request.source {
        case .deployment(let path):
            let loaded = try await LoadedDeployment.complete(
                DeploymentDirectory.open(path), options: host.layerOptions
            ) { request.adjust(&$0, hasTarget: true, homeDirectory: host.homeDirectory) }
            return (loaded.rendered, loaded.warnings)
        case .stack(let name, let specFile):
            let (stack, spec, warnings) = try stackAndSpec(name, specFile)
            let result = try await render(request, spec: spec, tree: stack.overlay(.disk)) { options, diagnostics in
                layer(stack, spec: spec, options: options, tree: .disk, diagnostics: &diagnostics)
            }
            return (result.rendered, warnings + result.warnings)
        case .composeFiles(let files, let tree):
            let spec = Spec(file: "(no spec)", directory: host.workingDirectory)
            return try await render(request, spec: spec, tree: tree) { options, diagnostics in
                layer(composeFiles: files, spec: spec, options: options, tree: tree, diagnostics: &diagnostics)
            }
        }
    }

    private func stackAndSpec(_ name: String?, _ specFile: String?) throws -> (ResolvedStack, Spec, [Diagnostic]) {
        guard let specFile else {
            let stack = try host.resolver().resolve(name ?? "")
            return (stack, Spec(file: "(no spec)", directory: stack.directory), [])
        }
        let loaded = try loadSpec(host.absolute(specFile), tree: .disk)
        guard let name = name ?? loaded.spec.stack else {
            throw StackError(.notFound, "\(specFile) names no stack", hint: "add `stack: NAME`, or give --stack")
        }
        return (try host.stack(name, specDirectory: loaded.spec.directory), loaded.spec, loaded.warnings)
    }

    private func render(
        _ request: RenderRequest, spec: Spec, tree: FileTree,
        layering: (LayerOptions, inout Diagnostics) -> LayeredProject?
    ) async throws -> (rendered: RenderedDeployment, warnings: [Diagnostic]) {
        var diagnostics = Diagnostics()
        var layerOptions = host.layerOptions
        layerOptions.profiles = request.profiles
        guard let project = layering(layerOptions, &diagnostics) else { throw InvalidInput(diagnostics.list) }
        var options = RenderOptions(
            spec: spec, stackName: project.stackName, deploymentID: Names.label(project.stackName))
        request.adjust(&options, hasTarget: spec.deployTo != nil, homeDirectory: host.homeDirectory)
        let asked = AskedUsers()
        options.userNumber = { asked.add($0) }
        var found = Diagnostics()
        var rendered = Rendering.render(project, options: options, tree: tree, diagnostics: &found)
        if found.hasErrors, !asked.all.isEmpty {
            let numbers = await ImageUsers.lookUp(asked.all, host: host.environment)
            options.userNumber = { numbers.number($0) }
            found = Diagnostics()
            rendered = Rendering.render(project, options: options, tree: tree, diagnostics: &found)
        }
        diagnostics.append(contentsOf: found.list)
        try diagnostics.throwIfErrors()
        return (rendered, diagnostics.list)
    }
}
