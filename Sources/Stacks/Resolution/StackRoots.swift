import Compose

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
        Self.repositoryRoots.compactMap { suffix in
            let directory = locations.repositoryBase + "/" + repository + suffix
            guard tree.kind(directory + "/stacks") == .directory else { return nil }
            return StackRoot(directory: directory, source: .fetched(repository))
        }
    }

    /// The clones below the base directory, as host/org/repo.
    var repositories: [String] {
        let base = locations.repositoryBase
        return directories(base).flatMap { host in
            directories("\(base)/\(host)").flatMap { organisation in
                directories("\(base)/\(host)/\(organisation)").map { "\(host)/\(organisation)/\($0)" }
            }
        }
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
