package import Compose
import OrderedCollections
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
        stack.problems = file.problems
        var assembly = StackAssembly(stack: stack, tree: tree, repositories: nil)
        assembly.assemble()
        return assembly.stack.withPartHooks(tree)
    }

    /// Where a deployment keeps a hook of a stack that belongs to its own.
    package static func hookPath(part: String, _ occasion: StackHook) -> String {
        "stack-hooks/\(part)/\(occasion.rawValue)"
    }

    private func withPartHooks(_ tree: FileTree) -> ResolvedStack {
        var stack = self
        stack.parts = (file.extensions[StackFile.partsKey]?.sequence?.compactMap(\.text) ?? []).filter(isName)
        // Pods from repositories bring hooks under their own names.
        let kept = ((try? tree.list("\(directory)/stack-hooks")) ?? []).filter {
            isName($0) && !stack.parts.contains($0)
        }
        for part in stack.parts + kept {
            for occasion in StackHook.allCases {
                let path = "\(directory)/\(Self.hookPath(part: part, occasion))"
                guard tree.kind(path) == .file else { continue }
                stack.partHooks.append(PartHook(stack: part, occasion: occasion, path: path))
            }
        }
        return stack
    }
}
