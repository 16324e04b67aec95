import ArgumentParser
import Compose
import ExternalTools
import Specs
import Stacks
import YAML

/// The options of what fetches repositories.
struct FetchFlags: ParsableArguments {
    @Flag(help: "Clone by ssh (git@host:org/repo): your ssh agent's keys are used.")
    var gitSsh = false

    @Flag(help: "Update existing clones; only fast-forwards, your changes are never lost.")
    var pull = false

    @Flag(help: "Show what is there and what is missing; touch nothing, ask no server.")
    var checkOnly = false

    var options: FetchOptions {
        var options = FetchOptions()
        options.prefersSSH = gitSsh
        options.pulls = pull
        return options
    }
}

extension RepositoryFetcher {
    /// Fetches or checks, as the flags say, with progress on stderr.
    func perform(
        _ locators: [RepositoryLocator], _ flags: FetchFlags, global: GlobalOptions
    ) async throws -> [RepositoryRecord] {
        if flags.checkOnly { return try await check(locators) }
        let progress = FetchProgress(global: global)
        return try await fetch(locators) { progress.handle($0, $1) }
    }

    /// What a fetch would run.
    func preview(_ locators: [RepositoryLocator]) async throws {
        for record in try await check(locators) {
            let url = record.locator.url(prefersSSH: options.prefersSSH)
            let reference = record.locator.reference.map { " at \($0)" } ?? ""
            switch record.state {
            case .missing: Terminal.output("clone    \(url)\(reference) into \(record.directory)\n")
            default: Terminal.output("\(options.pulls ? "pull" : "keep")     \(record.directory)\(reference)\n")
            }
        }
    }
}

extension [RepositoryRecord] {
    func table() -> Table {
        Table(
            columns: ["repository", "state", "reference", "commit", "directory", "notes"],
            rows: map { record in
                [
                    .string(record.locator.description), .string(record.state.rawValue),
                    record.reference.map { .string($0) } ?? .plain("null"),
                    record.commit.map { .string(String($0.prefix(12))) } ?? .plain("null"), .string(record.directory),
                    .list(record.notes.map { .string($0) }),
                ]
            })
    }
}

extension Host {
    /// The repository that a user names; a path that exists is taken whole, `@` and all.
    static func locator(_ text: String) throws -> RepositoryLocator {
        if let path = localPath(text), FileTree.disk.kind(path) == .directory,
            let locator = RepositoryLocator(localPath: path)
        {
            return locator
        }
        if let locator = RepositoryLocator(localPath(text) ?? text) { return locator }
        let hasUser = text.contains("://") && text.split(separator: "/").dropFirst().first?.contains("@") == true
        throw StackError(
            .refused,
            "'\(withoutCredentials(text))' is not a repository",
            hint: (hasUser && !text.hasPrefix("ssh://")
                ? "credentials do not belong in a locator: git asks your credential helper"
                : "write [host/]org/repo[@ref], https://host/org/repo, git@host:org/repo, or a path such as ./repo")
        )
    }

    /// The absolute path that a text says, if it says one.
    private static func localPath(_ text: String) -> String? {
        if text.hasPrefix("~/"), let home = environment["HOME"] { return normalizedPath(home + text.dropFirst()) }
        guard text == "." || text == ".." || text.hasPrefix("./") || text.hasPrefix("../") || text.hasPrefix("/") else {
            return nil
        }
        return absolutePath(text, in: workingDirectory)
    }
}
