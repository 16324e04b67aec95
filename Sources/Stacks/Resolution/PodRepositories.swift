import Compose
import Specs

/// Finds the clones that map pods name.
struct PodRepositories: Sendable {
    private let resolver: StackResolver

    init(_ resolver: StackResolver) {
        self.resolver = resolver
    }

    enum Outcome: Hashable, Sendable {
        case found(String)
        /// Where the clone would stand.
        case missing(String)
        case ambiguous([String])
    }

    /// The clone of a pod's repository: the one that the stack's `repos` name so, else the only one of that name;
    /// stack-orchestrator's flat layout, `<base>/<repo>`, counts last.
    func find(_ repository: String, in stack: StackFile) -> Outcome {
        let base = resolver.locations.repositoryBase
        let declared = stack.repositories.map(\.value).filter { isSame($0.directory, repository) }
        if let locator = declared.first {
            return outcome("\(base)/\(locator.directory)", flat: "\(base)/\(locator.name)")
        }
        if repository.contains("/"), let locator = RepositoryLocator(repository) {
            return outcome("\(base)/\(locator.directory)", flat: "\(base)/\(locator.name)")
        }
        let clones = resolver.repositories.filter { isSame($0, repository) }
        if clones.count > 1 { return .ambiguous(clones.map { "\(base)/\($0)" }) }
        return outcome(clones.first.map { "\(base)/\($0)" } ?? "\(base)/\(repository)", flat: "\(base)/\(repository)")
    }

    private func isSame(_ directory: String, _ repository: String) -> Bool {
        let wanted = RepositoryLocator(repository)?.directory ?? repository
        return directory == wanted || directory.hasSuffix("/" + repository)
    }

    private func outcome(_ path: String, flat: String) -> Outcome {
        if resolver.tree.kind(path) == .directory { return .found(path) }
        return resolver.tree.kind(flat) == .directory ? .found(flat) : .missing(path)
    }
}
