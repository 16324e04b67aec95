import Runtimes
import Specs
import Stacks

extension DeploymentService {
    /// Where the deployment's stack comes from.
    func source(_ update: SourceUpdate, _ directory: DeploymentDirectory) -> String {
        update.stackPath.map(host.absolute) ?? directory.identity.stackSource
    }

    /// The top of the clone that a directory is in.
    func workTree(of directory: String) async -> String? {
        await RepositoryFetcher(base: "/", git: host.git).workTree(containing: directory)
    }

    /// Brings the source forward, and the deployment's files up to it; the caller holds the lock.
    func takeOver(
        _ update: SourceUpdate, in directory: DeploymentDirectory, _ events: @escaping DeploymentEventHandler
    ) async throws {
        let source = source(update, directory)
        if update.pulls, Files.exists("\(source)/stack.yml") { try await pull(source, events) }
        guard let request = try await updateRequest(update, directory, events) else { return }
        try await self.update(directory, from: request, events: events)
    }

    /// What to update the deployment from; nil where the stack's source has gone.
    func updateRequest(
        _ update: SourceUpdate, _ directory: DeploymentDirectory, _ events: DeploymentEventHandler
    ) async throws -> CreateRequest? {
        let source = source(update, directory)
        guard Files.exists("\(source)/stack.yml") else {
            if let path = update.stackPath {
                throw DeploymentError(.missing, "no stack in \(path)", hint: "correct --stack-path")
            }
            events(.message("\(source) has gone: starting what the deployment holds"))
            return nil
        }
        let spec = try await spec(update, directory, top: workTree(of: source))
        if spec != directory.specFile { events(.message("spec     \(spec)")) }
        var options = CreateOptions(specFile: spec)
        (options.stack, options.directory) = (source, directory.root)
        return try await request(options, isUpdate: true, events: events)
    }

    /// The spec that is taken over: the one that the user names, else `deployment/spec.yml` of the clone, else the deployment's own.
    private func spec(
        _ update: SourceUpdate, _ directory: DeploymentDirectory, top: String?
    ) throws -> String {
        guard let written = update.specFile else {
            let tracked = top.map { "\($0)/deployment/spec.yml" }
            return tracked.flatMap { Files.exists($0) ? $0 : nil } ?? directory.specFile
        }
        let here = host.absolute(written)
        if Files.exists(here) { return here }
        if let top, Files.exists("\(top)/\(written)"), !written.hasPrefix("/") { return "\(top)/\(written)" }
        throw DeploymentError(
            .missing, "no spec \(here)" + (top.map { " and none at \($0)/\(written)" } ?? ""),
            hint: "correct --spec-file")
    }

    /// Brings the stack's clone forward, then the repositories of its pods, which the stack may pin elsewhere now.
    private func pull(_ source: String, _ events: @escaping DeploymentEventHandler) async throws {
        let resolver = try host.resolver()
        var options = FetchOptions()
        options.pulls = true
        let fetcher = RepositoryFetcher(base: resolver.locations.repositoryBase, options: options, git: host.git)
        let tell: RepositoryFetcher.EventHandler = { events(.fetching($0, $1)) }
        if let record = try await fetcher.pull(containing: source, events: tell) {
            tell(record.locator, .finished(record))
        } else {
            let text = "\(source) is not in a git clone with a remote named origin: it is used as it is"
            events(.message(text, isDetail: true))
        }
        try await pullPods(of: resolver.resolve(source), fetcher, tell)
    }

    private func pullPods(
        of stack: ResolvedStack, _ fetcher: RepositoryFetcher, _ tell: @escaping RepositoryFetcher.EventHandler
    ) async throws {
        let named = stack.file.pods.compactMap(\.repository)
        guard !named.isEmpty else { return }
        let needed = try stack.neededRepositories().filter { locator in
            named.contains { RepositoryLocator($0)?.directory == locator.directory || locator.name == $0 }
        }
        _ = try await fetcher.fetch(needed, events: tell)
        // Clones that `repos` does not name are the operator's own: they are at whichever branch they are at.
        let fetched = needed.map { fetcher.directory(of: $0) }
        let others = Set(stack.pods.compactMap(\.repositoryDirectory)).subtracting(fetched)
        for clone in others.sorted() { _ = try await fetcher.pull(containing: clone, events: tell) }
    }
}
