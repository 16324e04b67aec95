import ArgumentParser
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
