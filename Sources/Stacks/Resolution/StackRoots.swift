import Compose
import Specs

/// A directory that holds stacks/, compose/ and config/.
struct StackRoot: Hashable, Sendable {
    var directory: String
    var source: ResolvedStack.Source
}

extension StackResolver {
    /// Where a repository may keep its stacks: at its top, or below one of these.
    static let repositoryRoots = ["", "/stack-orchestrator", "/stack_orchestrator/data"]

    /// The built-in root, then those of the fetched repositories in the order of their names.
    var roots: [StackRoot] {
        let builtIn = locations.builtInRoot.map { [StackRoot(directory: $0, source: .builtIn)] } ?? []
        return builtIn + repositories.flatMap(roots(ofRepository:))
    }

    private func roots(ofRepository repository: String) -> [StackRoot] {
        roots(in: locations.repositoryBase + "/" + repository).map {
            StackRoot(directory: $0, source: .fetched(repository))
        }
    }

    /// The clones below the base directory, as host/org/repo; a host may have groups inside groups, and stack-orchestrator put
    /// clones right below its base.
    var repositories: [String] {
        directories(locations.repositoryBase).flatMap { clones(below: $0, depth: 1) }
    }

    /// A directory with `.git` is a clone. One without, at the usual depth, counts as one unless clones stand in it.
    private func clones(below path: String, depth: Int) -> [String] {
        let full = "\(locations.repositoryBase)/\(path)"
        // A clone may itself be called `stacks`: that makes a repository of nothing.
        let hasStacks = roots(in: full).contains { tree.kind($0 + "/stacks/.git") == .none }
        if tree.kind(full + "/.git") != .none || depth >= 3 && hasStacks { return [path] }
        // Paths of this host are kept whole below `localhost`.
        let deepest = path.hasPrefix("localhost/") ? 16 : 5
        let inner =
            depth < deepest ? directories(full).flatMap { clones(below: "\(path)/\($0)", depth: depth + 1) } : []
        return depth == 3 && inner.isEmpty ? [path] : inner
    }

    /// Where a stack finds what its own root lacks: stack-orchestrator's stacks borrow pods, config and builds of its repository, where
    /// that is fetched; else the built-in root.
    func fallbackRoot(besides root: String) -> String? {
        let borrowed = repositories.filter { $0 == "stack-orchestrator" || $0.hasSuffix("/stack-orchestrator") }
            .map { "\(locations.repositoryBase)/\($0)/stack_orchestrator/data" }
            .first { tree.kind($0 + "/compose") == .directory }
        let fallback = locations.builtInRoot == root ? nil : borrowed ?? locations.builtInRoot
        return fallback == root ? nil : fallback
    }

    /// Where a repository has its stacks: at its top, or below one of the usual directories.
    private func roots(in repository: String) -> [String] {
        Self.repositoryRoots.map { repository + $0 }.filter { tree.kind($0 + "/stacks") == .directory }
    }

    /// The stacks of one repository.
    package func list(repository: String) -> [ListedStack] {
        roots(ofRepository: repository).flatMap { stacks(in: $0) }.map(described)
    }

    /// The names of a directory's directories; hidden ones are somebody's working files.
    private func directories(_ path: String) -> [String] {
        let names = (try? tree.list(path)) ?? []
        return names.filter { !$0.hasPrefix(".") && tree.kind(path + "/" + $0) == .directory }
    }

    /// The stacks of one root.
    func stacks(in root: StackRoot) -> [ListedStack] {
        directories(root.directory + "/stacks").compactMap { name in
            let directory = "\(root.directory)/stacks/\(name)"
            guard isName(name), tree.kind(directory + "/stack.yml") == .file else { return nil }
            return ListedStack(name: name, directory: directory, source: root.source)
        }
    }
}
