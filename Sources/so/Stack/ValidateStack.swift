import ArgumentParser
import Compose
import Deployments
import Rendering
import Stacks
import YAML

/// `so validate-stack`.
struct ValidateStack: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "validate-stack", abstract: "Check a stack: all problems at once, exit code 65 if there are any.")

    @Argument(help: "The stack: a path or a name.")
    var stack: String

    @Flag(help: "Treat compose keys without an equivalent as errors.")
    var strict = false

    @OptionGroup var global: GlobalOptions

    func run() throws {
        let resolved = try Host.resolver().resolve(stack)
        var diagnostics = Diagnostics()
        let spec = Spec(file: "(no spec)", directory: resolved.directory)
        let project = layer(
            resolved, spec: spec, options: Host.layerOptions(), tree: .disk, diagnostics: &diagnostics)
        if let project, !diagnostics.hasErrors {
            var options = RenderOptions(spec: spec, stackName: resolved.name, deploymentID: resolved.name)
            options.isStrict = strict
            options.homeDirectory = Host.environment["HOME"]
            _ = render(project, options: options, tree: .disk, diagnostics: &diagnostics)
        }
        try diagnostics.throwIfErrors()
        Diagnoses.warn(diagnostics.list, global: global)
        if !global.quiet { Terminal.note("\(resolved.name) is valid") }
    }
}
