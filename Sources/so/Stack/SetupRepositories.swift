import ArgumentParser
import Deployments
import ExternalTools
import Stacks
import YAML

/// `so setup-repositories`.
struct SetupRepositories: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "setup-repositories", abstract: "Clone the repositories that a stack, or every stack, needs.",
        discussion: """
            Those are the `repos` of its stack.yml and the repositories of its pods. Each is cloned once, several at a \
            time, below $SO_REPO_BASE_DIR (default ~/.local/share/so/repos) as host/org/repo, at the @ref that stack.yml \
            pins. A clone that is there is kept, and taken to the pinned ref; --pull brings branches forward. Changes \
            that you made are never lost: where git could lose them, the command says so and leaves the clone alone.
            """)

    @OptionGroup var stack: StacksOption
    @OptionGroup var flags: FetchFlags

    @Option(help: "Only these repositories, comma-separated: repo, org/repo or host/org/repo.")
    var include: String?

    @Option(help: "All but these repositories, comma-separated.")
    var exclude: String?

    @Option(help: ArgumentHelp("Other refs than stack.yml's.", valueName: "repo@ref,…"))
    var branches: String?

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let resolver = try Host.resolver()
        let stacks = try stack.resolved(resolver)
        var selection = RepositorySelection(include: include.map(Self.list), exclude: exclude.map(Self.list) ?? [])
        if let branches { try selection.read(branches: branches) }
        let needed = try stacks.flatMap { try $0.neededRepositories() }
        let locators = try selection.applied(to: needed.reduce(into: []) { if !$0.contains($1) { $0.append($1) } })
        guard !locators.isEmpty else {
            if output.format != .table { [RepositoryRecord]().table().print(output.format) }
            return Terminal.note(stack.stack.map { "\($0) needs no repositories" } ?? "no stack needs repositories")
        }
        let fetcher = RepositoryFetcher(
            base: resolver.locations.repositoryBase, options: flags.options,
            git: Host.deployments.host.git)
        if global.dryRun { return try await fetcher.preview(locators) }
        try await fetcher.perform(locators, flags, global: global).table().print(output.format)
        guard let name = stack.stack, !flags.checkOnly, !global.quiet else { return }
        Terminal.note("next: \(Host.nextCommand(stack: shellQuoted(name), stacks[0], hasRepositories: true))")
    }

    static func list(_ text: String) -> [String] {
        text.split(separator: ",").map { String($0.filter { $0 != " " }) }.filter { !$0.isEmpty }
    }
}
