package import Compose
import OrderedCollections
package import Specs
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

    /// Where a deployment keeps a hook: that of its own stack, or of a part that belongs to it.
    package static func hookPath(part: String? = nil, _ occasion: StackHook, of path: String) -> String {
        let name = path.hasSuffix("/commands.py") ? "commands.py" : occasion.rawValue
        return (part.map { "stack-hooks/\($0)" } ?? "hooks") + "/" + name
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
                let folder = "\(directory)/stack-hooks/\(part)"
                let names = occasion == .stop ? [occasion.rawValue] : [occasion.rawValue, "commands.py"]
                guard let path = names.map({ "\(folder)/\($0)" }).first(where: { tree.kind($0) == .file }) else {
                    continue
                }
                stack.partHooks.append(PartHook(stack: part, occasion: occasion, path: path))
            }
        }
        return stack
    }
}
