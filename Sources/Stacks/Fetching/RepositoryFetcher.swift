package import ExternalTools
package import Specs

/// Clones repositories below the base directory and brings clones forward.
///
/// A clone is made beside its place and renamed, so that what stands there is whole. Nothing that a user changed is ever lost: only
/// fast-forwards, no switch away from changes that are not committed or commits that no branch holds.
package struct RepositoryFetcher: Sendable {
    package typealias EventHandler = @Sendable (RepositoryLocator, FetchEvent) -> Void

    package var base: String
    package var options: FetchOptions
    var git: Git

    /// - Parameter base: where repositories are cloned, as host/org/repo; absolute.
    package init(base: String, options: FetchOptions = FetchOptions(), git: Git) {
        self.base = base
        self.options = options
        self.git = git
    }

    /// Where a repository's clone stands.
    package func directory(of locator: RepositoryLocator) -> String { "\(base)/\(locator.directory)" }

    /// Makes sure that every repository is there, several at a time; the others go on where one fails.
    ///
    /// - Throws: ``StackError`` with every failure; `CancellationError` where the task was cancelled.
    package func fetch(
        _ locators: [RepositoryLocator], events: @escaping EventHandler = { _, _ in }
    ) async throws -> [RepositoryRecord] {
        let results = await results(locators, events: events)
        try Task.checkCancellation()
        let failures = results.compactMap { result -> StackError? in
            if case .failure(let error) = result { error } else { nil }
        }
        guard let first = failures.first else { return results.compactMap { try? $0.get() } }
        guard failures.count > 1 else { throw first }
        let reasons = failures.map { "\n  \($0.description.replacing("\n", with: "\n  "))" }.joined()
        throw StackError(first.code, "\(failures.count) of \(locators.count) repositories failed:\(reasons)")
    }

    private func results(
        _ locators: [RepositoryLocator], events: @escaping EventHandler
    ) async -> [Result<RepositoryRecord, StackError>] {
        await withTaskGroup(of: (Int, Result<RepositoryRecord, StackError>).self) { group in
            var results: [Int: Result<RepositoryRecord, StackError>] = [:]
            for (index, locator) in locators.enumerated() {
                if index >= options.width, let (done, result) = await group.next() { results[done] = result }
                group.addTask { (index, await result(of: locator, events: events)) }
            }
            for await (done, result) in group { results[done] = result }
            return locators.indices.compactMap { results[$0] }
        }
    }

    private func result(
        of locator: RepositoryLocator, events: @escaping EventHandler
    ) async -> Result<RepositoryRecord, StackError> {
        let single = SingleFetch(locator: locator, fetcher: self) { events(locator, $0) }
        do throws(StackError) {
            let record = try await single.run()
            events(locator, .finished(record))
            return .success(record)
        } catch {
            events(locator, .failed(error.description))
            return .failure(error)
        }
    }

    /// How the clones stand; touches neither the disk nor the network.
    package func check(_ locators: [RepositoryLocator]) async throws -> [RepositoryRecord] {
        var records: [RepositoryRecord] = []
        for locator in locators {
            records.append(try await SingleFetch(locator: locator, fetcher: self) { _ in }.check())
        }
        return records
    }

    /// Brings the clone forward that a directory belongs to, at the branch it is on; a clone at a tag or commit stays there.
    ///
    /// - Returns: nil where the directory is in no clone, or in one without an origin: there is nothing to pull.
    package func pull(containing directory: String, events: @escaping EventHandler = { _, _ in }) async throws
        -> RepositoryRecord?
    {
        do {
            guard let top = try await git.topLevel(directory), let origin = try await git.remoteURL(top),
                let locator = RepositoryLocator(origin) ?? RepositoryLocator(localPath: top)
            else { return nil }
            var fetcher = self
            fetcher.options.pulls = true
            let single = SingleFetch(locator: locator, fetcher: fetcher, directory: top) { events(locator, $0) }
            return try await single.run()
        } catch let error as CommandFailure {
            if error.code == .cancelled { throw error }
            throw StackError(.fetchFailed, "git cannot read \(directory)", cause: error.description)
        }
    }

    /// The top of the work tree that a directory belongs to.
    package func workTree(containing directory: String) async -> String? {
        (try? await git.topLevel(directory)) ?? nil
    }
}
