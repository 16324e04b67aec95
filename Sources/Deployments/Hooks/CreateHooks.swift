import OrderedCollections
import Runtimes
import Specs
import Stacks

/// Runs the stack's create hooks in a directory that is laid out aside.
///
/// - Throws: ``DeploymentError`` (`failed`) where one fails.
func runCreateHooks(
    _ request: CreateRequest, in directory: DeploymentDirectory, note: @escaping @Sendable (String) -> Void
) async throws {
    let own = request.stack.hooks[.create].map { [ResolvedStack.hookPath(.create, of: $0)] } ?? []
    let parts = request.stack.partHooks.filter { $0.occasion == .create }
        .map { ResolvedStack.hookPath(part: $0.stack, .create, of: $0.path) }
    for path in parts + own {
        var python = PythonHook(.create, path: "\(directory.root)/\(path)", stack: request.stack)
        python.arguments = request.hookArguments
        python.networkDirectory = request.networkDirectory
        python.initialPeers = request.initialPeers
        try await runHook(
            "\(directory.root)/\(path)", arguments: request.hookArguments,
            facts: HookFacts(
                directory: directory.root, identity: directory.identity,
                namespace: request.spec.effectiveNamespace(of: request.stack.name)),
            host: request.options.hostEnvironment, python: python,
            limit: hookLimit(request.options.hostEnvironment), note: note)
    }
}
