package import Specs
package import YAML

/// Which of a stack's repositories `setup-repositories` works on, and at which references.
package struct RepositorySelection: Hashable, Sendable {
    /// Only these; nil: all. A repository goes by `repo`, `org/repo` or `host/org/repo`.
    package var include: [String]?
    package var exclude: [String] = []
    /// References by repository, over those of stack.yml.
    package var references: [String: String] = [:]

    package init(include: [String]? = nil, exclude: [String] = []) {
        self.include = include
        self.exclude = exclude
    }

    /// Reads `repo@ref,org/repo@ref`.
    ///
    /// - Throws: ``StackError`` (`refused`) for an entry without a reference, or with one that git would not take.
    package mutating func read(branches text: String) throws(StackError) {
        for entry in text.split(separator: ",").map({ String($0.filter { $0 != " " }) }) {
            guard let at = entry.firstIndex(of: "@"), at != entry.startIndex else {
                throw StackError(.refused, "--branches: '\(entry)' names no branch", hint: "write repo@branch,…")
            }
            let reference = String(entry[entry.index(after: at)...])
            guard isGitReference(reference) else {
                throw StackError(.refused, "--branches: '\(reference)' is not a branch, tag or commit")
            }
            references[String(entry[..<at])] = reference
        }
    }

    /// The chosen repositories at their references, in the order of stack.yml.
    ///
    /// - Throws: ``StackError`` (`notFound`) for a name that no repository has.
    package func applied(to locators: [RepositoryLocator]) throws(StackError) -> [RepositoryLocator] {
        for name in (include ?? []) + exclude + references.keys.sorted()
        where !locators.contains(where: { $0.goes(by: name) }) {
            let known = locators.map(\.repository).joined(separator: ", ")
            throw StackError(
                .notFound,
                "the stack has no repository '\(name)'",
                hint: (known.isEmpty ? "it names none" : "its repositories are \(known)"))
        }
        return locators.filter { locator in
            (include?.contains { locator.goes(by: $0) } ?? true) && !exclude.contains { locator.goes(by: $0) }
        }.map { locator in
            var locator = locator
            if let name = references.keys.first(where: { locator.goes(by: $0) }) {
                locator.reference = references[name]
            }
            return locator
        }
    }
}

extension RepositoryLocator {
    /// Whether a user means this repository: `repo`, `org/repo` or `host/org/repo`; a reference behind it plays no part.
    func goes(by name: String) -> Bool {
        let bare = String(name.prefix { $0 != "@" })
        return bare == repository || directory == bare || directory.hasSuffix("/" + bare)
            || RepositoryLocator(bare)?.directory == directory
    }
}

extension ResolvedStack {
    /// The repositories that the stack needs: those of `repos`, and those of its map pods that `repos` does not name.
    ///
    /// - Throws: `InvalidInput` where one repository is wanted at two references, or where a stack that came from elsewhere names a
    ///   path of this host.
    package func neededRepositories() throws(InvalidInput) -> [RepositoryLocator] {
        var diagnostics = Diagnostics()
        var wanted: [Located<RepositoryLocator>] = []
        let ofPods = file.pods.compactMap { pod in
            pod.repository.flatMap { name -> Located<RepositoryLocator>? in
                // What `repos` names may come from another host than the pod's short form means.
                guard !file.repositories.contains(where: { $0.value.goes(by: name) }) else { return nil }
                return RepositoryLocator(name).map { Located($0, at: pod.mark) }
            }
        }
        for entry in file.repositories + ofPods {
            if entry.value.isLocal, isForeign {
                diagnostics.error(
                    "\(entry.value) is a path of this host, and the stack came from elsewhere", at: entry.mark,
                    hint: "name a repository that can be cloned")
            }
            guard let known = wanted.first(where: { $0.value.directory == entry.value.directory }) else {
                wanted.append(entry)
                continue
            }
            if let reference = entry.value.reference, reference != known.value.reference {
                diagnostics.error(
                    "\(entry.value.repository) is requested at \(reference) and at \(known.value.reference ?? "its default branch")",
                    at: entry.mark, hint: "the other one is at \(known.mark)")
            }
        }
        try diagnostics.throwIfErrors()
        return wanted.map(\.value)
    }

    /// Whether the stack was written by somebody who does not know this host.
    private var isForeign: Bool {
        guard case .fetched(let repository) = source else { return false }
        return !repository.hasPrefix("localhost/")
    }
}
