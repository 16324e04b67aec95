import ArgumentParser
import Compose
import Deployments
import Specs
import Stacks
import YAML

/// `so validate-stack`.
struct ValidateStack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate-stack", abstract: "Check a stack: all problems at once, exit code 65 if there are any.",
        discussion: """
            Checks stack.yml, those of the stacks that it names, every compose file, script and hook, and what becomes of them on \
            Kubernetes, each to the end whatever is wrong with the others. Nothing is run, and no values are needed: \
            variables that the operator has to give are listed.
            """)

    @Argument(help: "The stack: a path or a name.")
    var stack: String

    @Flag(help: "Treat compose keys without an equivalent as errors.")
    var strict = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        var resolver = try Host.resolver()
        resolver.keepsFaultyStacks = true
        let resolved = try resolver.resolve(stack)
        let check = StackCheck(
            resolved, isStrict: strict, homeDirectory: Host.environment["HOME"], tree: resolver.tree)
        try check.problems.throwIfErrors()
        Diagnoses.warn(check.problems.list, global: global)
        guard !global.quiet else { return }
        Terminal.note("\(resolved.name) is valid")
        Terminal.note(check.hostAccess)
        list("the operator has to give:", check.inputs.filter(\.value.isRequired))
        list("the operator may give, and they are empty else:", check.inputs.filter { !$0.value.isRequired })
    }

    private func list(_ title: String, _ inputs: [Located<UnsetVariable>]) {
        guard !inputs.isEmpty else { return }
        Terminal.note(title)
        for input in inputs { Terminal.note("  \(input.value.name)   (\(input.mark))") }
    }
}
