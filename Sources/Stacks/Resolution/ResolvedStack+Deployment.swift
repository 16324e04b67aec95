package import Compose
import YAML

extension ResolvedStack {
    /// The stack whose files a deployment directory holds: stack.yml, compose/, compose-jobs/, config/, hooks/ and
    /// pods/<pod>/scripts/ at its top.
    ///
    /// - Parameters:
    ///   - directory: absolute.
    ///   - name: the stack's name, which the directory's own name does not tell.
    /// - Throws: ``StackError`` if there is no stack.yml, ``YAML/InvalidInput`` with every fault of it.
    package static func deployment(directory: String, name: String, tree: FileTree) throws -> ResolvedStack {
        let path = directory + "/stack.yml"
        let file = try loadStackFile(path, tree: tree)
        var stack = ResolvedStack(
            name: name, directory: directory, root: directory, source: .deployment, file: file.stack)
        stack.problems = file.warnings
        var assembly = StackAssembly(stack: stack, tree: tree, repositories: nil)
        assembly.assemble()
        return assembly.stack
    }
}
