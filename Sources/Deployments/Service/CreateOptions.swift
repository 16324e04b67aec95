import Compose
import ExternalTools
import Runtimes
import Specs
import YAML

/// What a deployment directory is made of; paths are as the user has written them.
package struct CreateOptions: Sendable {
    package var specFile: String
    /// Instead of the one that the spec names.
    package var stack: String?
    /// Nil: `deployments/<stack>`.
    package var directory: String?
    /// Arguments of the stack's create hook.
    package var hookArguments: [String] = []
    package var networkDirectory: String?
    package var initialPeers: String?
    /// Whether compose keys without an equivalent are errors.
    package var isStrict = false
    package var makesHelmChart = false

    package init(specFile: String) { self.specFile = specFile }
}

extension DeploymentService {
    /// Reads the spec and resolves its stack.
    ///
    /// - Parameter isUpdate: whether the deployment exists, and keeps its identity and what was changed in its config.env.
    package func request(
        _ options: CreateOptions, isUpdate: Bool, events: DeploymentEventHandler = { _ in }
    ) async throws -> CreateRequest {
        var request = try newRequest(options, events)
        request.stackCommit = await commit(of: request)
        // A chart that is there is kept up to date, asked for or not: a stale one would be installed.
        request.makesHelmChart =
            options.makesHelmChart || (isUpdate && Files.exists("\(request.directory)/chart/Chart.yaml"))
        if isUpdate { try request.update(DeploymentDirectory.open(request.directory), events) }
        if request.makesHelmChart, request.identity == nil { request.identity = try request.newIdentity() }
        return request
    }

    /// Reads the spec, resolves its stack, and decides what the new deployment's directory holds; git is asked for the stack's commit meanwhile.
    package func prepare(
        _ options: CreateOptions, events: DeploymentEventHandler = { _ in }
    ) async throws -> (request: CreateRequest, prepared: PreparedDirectory) {
        if options.makesHelmChart {
            // A chart names the commit.
            let request = try await request(options, isUpdate: false, events: events)
            return (request, try prepareDirectory(request))
        }
        let request = try newRequest(options, events)
        async let commit = commit(of: request)
        let prepared = try prepareDirectory(request)
        var named = request
        named.stackCommit = await commit
        return (named, prepared)
    }

    /// The commit that the stack's files are at; nil outside git.
    private func commit(of request: CreateRequest) async -> String? {
        try? await host.git.head(request.stack.directory)
    }

    private func newRequest(_ options: CreateOptions, _ events: DeploymentEventHandler) throws -> CreateRequest {
        let path = host.absolute(options.specFile)
        let loaded = try loadSpec(path, tree: .disk)
        loaded.warnings.tell(events)
        guard let name = options.stack ?? loaded.spec.stack else {
            throw StackError(
                .notFound, "\(options.specFile) names no stack", hint: "add `stack: NAME`, or give --stack")
        }
        let stack = try host.stack(name, specDirectory: loaded.spec.directory)
        let directory = host.absolute(options.directory ?? "deployments/\(stack.name)")
        var request = CreateRequest(
            stack: stack, spec: loaded.spec, specText: try Files.read(path), directory: Files.canonical(directory),
            stackSource: stack.directory, toolVersion: host.toolVersion, options: host.layerOptions)
        request.hookArguments = options.hookArguments
        request.networkDirectory = options.networkDirectory.map(host.absolute)
        request.initialPeers = options.initialPeers
        request.isStrict = options.isStrict
        return request
    }
}

extension CreateRequest {
    fileprivate mutating func update(_ deployment: DeploymentDirectory, _ events: DeploymentEventHandler) throws {
        try deployment.identity.refuseOther(self)
        identity = deployment.identity
        tree = try deployment.fileTree()
        try take(deployment.configEdits(), events)
    }

    /// Keeps what was changed in the deployment's config.env.
    mutating func take(_ edits: ConfigEdits, _ events: DeploymentEventHandler) {
        edits.warnings.tell(events)
        options.configEdits = edits.values
    }
}
