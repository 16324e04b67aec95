import ArgumentParser

/// `so completion SHELL`.
struct Completion: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script of a shell.",
        discussion: "For bash: so completion bash > /etc/bash_completion.d/so")

    /// The shells that the argument parser can write for.
    enum Shell: String, ExpressibleByArgument, CaseIterable {
        case bash
        case zsh
        case fish
    }

    @Argument(help: "bash, zsh or fish.")
    var shell: Shell

    @OptionGroup var global: GlobalOptions

    func run() {
        let kind: CompletionShell =
            switch shell {
            case .bash: .bash
            case .zsh: .zsh
            case .fish: .fish
            }
        print(So.completionScript(for: kind))
    }
}
