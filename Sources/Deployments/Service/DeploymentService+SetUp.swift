package import Specs
package import YAML

extension DeploymentService {
    /// What the stack's init hooks suggest for a spec; nil where they suggest nothing.
    package func initialFragment(
        of stack: ResolvedStack, target: DeploymentTarget, diagnostics: inout Diagnostics,
        events: @escaping DeploymentEventHandler
    ) async throws -> Spec? {
        var result: Spec?
        for hook in stack.hookPaths(.initialize) {
            let output = try await captureHook(
                hook, host: host.environment,
                environment: ["SO_STACK": stack.name, "SO_TARGET": target.rawValue, "SO_STACK_DIR": stack.directory],
                workingDirectory: stack.directory, python: PythonHook(.initialize, path: hook, stack: stack),
                limit: host.hookLimit
            ) { line in
                events(.output(of: "init hook", line: line))
            }
            let fragment = parseSpec(
                output, file: "the output of \(hook)", directory: stack.directory, completeness: .fragment,
                diagnostics: &diagnostics)
            guard let fragment else { continue }
            result = result?.merged(with: fragment) ?? fragment
        }
        return result
    }

    /// Runs the stack's setup hooks.
    ///
    /// - Parameters:
    ///   - arguments: for a hook that is a program.
    ///   - options: for a function of Python, by the names that it knows.
    /// - Throws: `StackError` (`notFound`) where there is none.
    package func setUp(
        _ stack: ResolvedStack, arguments: [String], options: [(String, Node)],
        events: @escaping DeploymentEventHandler = { _ in }
    ) async throws {
        for path in try setupHooks(of: stack) {
            var python = PythonHook(.setup, path: path, stack: stack)
            python.arguments = arguments
            python.setup = options
            try await runSetupHook(
                path, arguments: arguments, host: host.environment,
                environment: ["SO_STACK": stack.name, "SO_STACK_DIR": stack.directory],
                workingDirectory: host.workingDirectory, python: python, limit: host.hookLimit
            ) { line in
                events(.output(of: "setup hook", line: line))
            }
        }
    }

    /// The paths of the stack's setup hooks, in the order in which they are run.
    ///
    /// - Throws: `StackError` (`notFound`) where there is none.
    package func setupHooks(of stack: ResolvedStack) throws(StackError) -> [String] {
        let hooks = stack.hookPaths(.setup)
        guard !hooks.isEmpty else {
            throw StackError(.notFound, "the stack \(stack.name) has no setup hook: there is nothing to set up")
        }
        return hooks
    }
}
