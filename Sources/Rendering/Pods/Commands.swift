import Compose
import KubernetesObjects
import OrderedCollections

/// Renders a service's entrypoint and command.
struct CommandStep: StoringStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var shared = SharedDraft()
    var reports = ReportCollector()

    /// entrypoint → command, command → args.
    ///
    /// Rule: an entrypoint sets the image's command aside in both; an empty entrypoint makes the command the whole call; an
    /// empty command is as good as none (moby, `daemon/commit.go`).
    mutating func run() -> ContainerCommand {
        let command = workload.service.command ?? []
        guard let entrypoint = workload.service.entrypoint else {
            return ContainerCommand(arguments: words(command))
        }
        if entrypoint.isEmpty {
            if command.isEmpty {
                report(
                    workload, "entrypoint", "the image's entrypoint cannot be taken away without a command: it runs",
                    hint: "write the `command:` that is to run")
            }
            return ContainerCommand(entrypoint: words(command))
        }
        return ContainerCommand(entrypoint: words(entrypoint), arguments: words(command))
    }

    private mutating func words(_ command: [TemplateText]) -> [String]? {
        command.isEmpty ? nil : command.map { reference($0) }
    }

    /// A word of a command as Kubernetes takes it: text escaped, each secret a `$(NAME)` of the service's own Secret.
    private mutating func reference(_ text: TemplateText) -> String {
        guard text.isSecret else { return escapingReferences(text.masked) }
        var result = ""
        for (index, piece) in text.pieces.enumerated() {
            switch piece {
            case .text(let part):
                let isBeforeSecret = index + 1 < text.pieces.count
                result += escapingReferences(part, before: isBeforeSecret ? UInt8(ascii: "$") : nil)
            case .secret(let name):
                result += "$(\(secretVariable(name)))"
            }
        }
        return result
    }

    /// The variable that holds a secret: one of the service's own that is just that secret, else one made for it.
    private mutating func secretVariable(_ secret: String) -> String {
        if workload.service.environment[secret]?.text == .secret(secret) { return secret }
        let variable = "SO_SECRET_\(Names.dataKey(secret))"
        addSecretEntry(variable, .text(.secret(secret)), workload)
        return variable
    }
}

/// What a container runs.
struct ContainerCommand: Hashable {
    /// In the place of the image's entrypoint.
    var entrypoint: [String]?
    var arguments: [String]?
}
