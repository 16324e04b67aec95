import ArgumentParser
import Compose
import Deployments
import ExternalTools
import Specs
import Stacks
import YAML

/// `so fetch-stack`.
struct FetchStack: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fetch-stack", abstract: "Clone a repository of stacks, and list the stacks in it.",
        discussion: """
            Afterwards --stack can name its stacks. The clone is below $SO_REPO_BASE_DIR (default \
            ~/.local/share/so/repos) as host/org/repo.

              so fetch-stack org/repo                      https://github.com/org/repo
              so fetch-stack git.example.com/org/repo@v1.2 another host, at a tag, branch or commit
              so fetch-stack git@github.com:org/repo       by ssh, as --git-ssh does for every locator
              so fetch-stack ./repo                        a repository on this host; file:// works too

            A clone that is there is kept; --pull brings it forward, at the branch that @ref named. Private repositories \
            work through git's own credential helpers and ssh agent; nothing is ever asked.
            """)

    @Argument(help: "The repository: [host/]org/repo[@ref], a URL, or a path.")
    var locator: String

    @OptionGroup var flags: FetchFlags
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let locator = try RepositoryLocator.written(
            locator, workingDirectory: Host.workingDirectory, homeDirectory: Host.environment["HOME"], tree: .disk)
        let resolver = try Host.resolver()
        let fetcher = RepositoryFetcher(
            base: resolver.locations.repositoryBase, options: flags.options,
            git: Host.deployments.host.git)
        if global.dryRun { return try await fetcher.preview([locator]) }
        let records = try await fetcher.perform([locator], flags, global: global)
        guard let record = records.first, !flags.checkOnly else { return records.table().print(output.format) }
        let stacks = resolver.list(repository: locator.directory)
        Table(
            columns: ["stack", "description", "directory"],
            rows: stacks.map {
                [.string(resolver.reference(to: $0)), .string($0.summary ?? ""), .string($0.directory)]
            }
        ).print(output.format)
        guard !global.quiet else { return }
        if stacks.isEmpty {
            Terminal.note(
                "warning: \(record.directory) has no stacks: none of stacks/, stack-orchestrator/stacks/ and "
                    + "stack_orchestrator/data/stacks/ holds a stack.yml")
        } else {
            Terminal.note("next: \(nextCommand(stacks, resolver))")
        }
    }

    /// What a user types next: what the stack lacks, else its spec.
    private func nextCommand(_ stacks: [ListedStack], _ resolver: StackResolver) -> String {
        guard let stack = stacks.first, stacks.count == 1 else {
            return "so deploy init --stack STACK --output spec.yml, with one of these stacks"
        }
        return Host.nextCommand(
            stack: shellQuoted(resolver.reference(to: stack)), try? resolver.resolve(stack.directory))
    }
}

extension Host {
    /// What a stack wants before it can be deployed.
    static func nextCommand(stack name: String, _ stack: ResolvedStack?, hasRepositories: Bool = false) -> String {
        if let stack, !hasRepositories,
            !stack.file.repositories.isEmpty || stack.file.pods.contains(where: { $0.repository != nil })
        {
            return "so setup-repositories --stack \(name)"
        }
        if let stack, !stack.file.containers.isEmpty { return "so build-containers --stack \(name)" }
        return "so deploy init --stack \(name) --output spec.yml"
    }
}
