extension Git {
    /// The commit that a work tree is at; nil outside a work tree or before its first commit.
    package func head(_ directory: String) async throws(CommandFailure) -> String? {
        try await answer(GitArguments.head(directory))
    }

    /// The URL of `origin`, without the credentials that it may hold; nil where there is none.
    package func remoteURL(_ directory: String) async throws(CommandFailure) -> String? {
        try await answer(GitArguments.remoteURL(directory)).map(withoutCredentials)
    }

    /// The top of the work tree that a directory belongs to; nil outside of one.
    package func topLevel(_ directory: String) async throws(CommandFailure) -> String? {
        try await answer(GitArguments.topLevel(directory))
    }

    /// The branch that is checked out; nil where HEAD is at a tag or commit.
    package func branch(_ directory: String) async throws(CommandFailure) -> String? {
        try await answer(GitArguments.branch(directory))
    }

    /// A tag of HEAD's commit.
    package func tag(_ directory: String) async throws(CommandFailure) -> String? {
        try await answer(GitArguments.tag(directory))
    }

    package func commit(_ directory: String, _ reference: String) async throws(CommandFailure) -> String? {
        try await answer(GitArguments.commit(directory, reference))
    }

    /// Whether tracked files were changed, added or deleted and not committed.
    package func hasLocalChanges(_ directory: String) async throws(CommandFailure) -> Bool {
        try await answer(GitArguments.localChanges(directory)) != nil
    }

    /// Whether a branch or tag keeps HEAD's commit, so that leaving it loses nothing.
    package func isHeadKept(_ directory: String) async throws(CommandFailure) -> Bool {
        try await answer(GitArguments.referenceToHead(directory)) != nil
    }

    /// How many commits are only here, and only there.
    package func divergence(
        _ directory: String, from upstream: String
    ) async throws(CommandFailure) -> (ahead: Int, behind: Int) {
        let command = command(GitArguments.divergence(directory, from: upstream))
        let numbers = try await command.run().text.split { $0 == "\t" || $0 == " " }.compactMap { Int($0) }
        guard numbers.count == 2 else { throw CommandFailure(.unreadableOutput, command: command.description) }
        return (numbers[0], numbers[1])
    }

    /// The names of origin's branches and of the tags.
    package func referenceNames(_ directory: String) async throws(CommandFailure) -> [String] {
        let text = try await answer(GitArguments.references(directory)) ?? ""
        return text.split(separator: "\n").compactMap { line in
            for prefix in ["refs/remotes/origin/", "refs/tags/"] where line.hasPrefix(prefix) {
                let name = String(line.dropFirst(prefix.count))
                return name == "HEAD" ? nil : name
            }
            return nil
        }
    }
}
