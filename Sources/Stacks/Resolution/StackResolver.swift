package import Compose
package import Specs
package import YAML

/// Finds stacks by path or name.
package struct StackResolver: Sendable {
    package let tree: FileTree
    package let locations: StackLocations
    /// Whether the faults of a stack.yml are among ``ResolvedStack/problems`` instead of thrown: such a stack is good for finding
    /// more of them, and for nothing else.
    package var keepsFaultyStacks = false

    package init(locations: StackLocations, tree: FileTree = .disk) {
        self.locations = locations
        self.tree = tree
    }

    /// Finds a stack and everything that its stack.yml names.
    ///
    /// A directory with a stack.yml is taken as a path, unless a built-in stack has just that name; else built-in stacks are
    /// looked up, then `stacks/<name>` of the working directory, then those of fetched repositories.
    /// - Throws: ``StackError`` if there is no such stack or more than one, ``YAML/InvalidInput`` with every fault of its
    ///   stack.yml. Missing compose files do not throw: ``ResolvedStack/problems`` has them.
    package func resolve(_ nameOrPath: String) throws -> ResolvedStack {
        if let stack = builtIn(nameOrPath) { return try resolved(stack) }
        let path = absolutePath(nameOrPath, in: locations.workingDirectory)
        if tree.kind(path + "/stack.yml") == .file { return try resolved(external(path)) }
        let beside = absolutePath("stacks/\(nameOrPath)", in: locations.workingDirectory)
        if isName(nameOrPath), tree.kind(beside + "/stack.yml") == .file { return try resolved(external(beside)) }
        guard isName(nameOrPath) else { throw pathFailure(nameOrPath, path) }
        return try resolved(find(nameOrPath))
    }

    /// The one stack of this name.
    func find(_ name: String) throws(StackError) -> ListedStack {
        let candidates = roots.flatMap { stacks(in: $0) }
        let matches = candidates.filter { $0.name == name }
        if matches.count > 1 { throw ambiguity(name, matches) }
        guard let match = matches.first else { throw notFound(name, candidates) }
        return match
    }

    /// Every stack that can be resolved by name, built-in ones first, then those of the working directory, each with its description.
    package func list() -> [ListedStack] {
        let known = roots
        let here = StackRoot(directory: locations.workingDirectory, source: .external)
        let beside = known.contains { $0.directory == here.directory } ? [] : stacks(in: here)
        let builtIn = known.filter { $0.source == .builtIn }.flatMap { stacks(in: $0) }
        let names = Set(builtIn.map(\.name))
        let fetched = known.filter { $0.source != .builtIn }.flatMap { stacks(in: $0) }
        return (builtIn + beside.filter { !names.contains($0.name) } + fetched).map(described)
    }

    func described(_ stack: ListedStack) -> ListedStack {
        var stack = stack
        var diagnostics = Diagnostics()
        let file = stack.directory + "/stack.yml"
        let bytes = (try? tree.read(file)) ?? []
        stack.summary = parseStackFile(bytes, file: file, diagnostics: &diagnostics)?.summary
        return stack
    }

    /// How a user names a stack: by its name where that leads to it, else by its path.
    package func reference(to stack: ListedStack) -> String {
        let found = try? resolve(stack.name)
        return found?.directory == stack.directory ? stack.name : stack.directory
    }

    /// A local path never shadows a built-in stack of that name; `./name` names the path.
    private func builtIn(_ name: String) -> ListedStack? {
        guard isName(name), let root = locations.builtInRoot else { return nil }
        let directory = "\(root)/stacks/\(name)"
        guard tree.kind(directory + "/stack.yml") == .file else { return nil }
        return ListedStack(name: name, directory: directory, source: .builtIn)
    }

    func external(_ path: String) -> ListedStack {
        // A stack of the built-in root or of a clone stays what it is when it is named by its path.
        let parent = parentDirectory(parentDirectory(path))
        let known = parentDirectory(path).hasSuffix("/stacks") ? roots.first { $0.directory == parent } : nil
        return ListedStack(name: lastPathComponent(path), directory: path, source: known?.source ?? .external)
    }

    func resolved(_ stack: ListedStack, within chain: [String] = []) throws -> ResolvedStack {
        guard isName(stack.name) else {
            throw StackError(
                .refused, "'\(stack.name)' cannot be a stack's name: it must be \(TextRule.name.description)")
        }
        let root = parentDirectory(parentDirectory(stack.directory))
        try requireInside(root, stack.directory + "/stack.yml")
        let file = try loadStackFile(
            stack.directory + "/stack.yml", keepsFaulty: keepsFaultyStacks, tree: tree)
        var result = ResolvedStack(
            name: stack.name, directory: stack.directory, root: root, source: stack.source, file: file.stack)
        result.fallbackRoot = fallbackRoot(besides: root)
        result.problems = file.problems
        var assembly = StackAssembly(stack: result, tree: tree, repositories: PodRepositories(self))
        assembly.assemble()
        return try composed(assembly.stack, within: chain)
    }

    private func requireInside(_ root: String, _ path: String) throws(StackError) {
        guard tree.isInside(root, path) else {
            throw StackError(.refused, "\(path) points outside \(root)", hint: "replace the symbolic link by the file")
        }
    }
}

/// Reads a stack.yml from a tree.
///
/// - Parameter keepsFaulty: whether a file with faults is returned, beside them.
/// - Throws: ``StackError`` if it cannot be read, ``YAML/InvalidInput`` with every fault.
package func loadStackFile(
    _ path: String, keepsFaulty: Bool = false, tree: FileTree
) throws -> (stack: StackFile, problems: [Diagnostic]) {
    let bytes = try readInput(path, what: "the stack's file", tree: tree)
    var diagnostics = Diagnostics()
    guard let stack = parseStackFile(bytes, file: path, keepsFaulty: keepsFaulty, diagnostics: &diagnostics) else {
        throw InvalidInput(diagnostics.list)
    }
    return (stack, diagnostics.list)
}

extension FileTree {
    /// Whether what stands at a path is inside a root, every symbolic link followed.
    func isInside(_ root: String, _ path: String) -> Bool {
        guard let root = realPath(root), let path = realPath(path) else { return false }
        return path == root || path.hasPrefix(root == "/" ? "/" : root + "/")
    }
}
