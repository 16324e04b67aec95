import Compose
import KubernetesObjects
import OrderedCollections

extension PodStage {
    /// entrypoint → command, command → args.
    ///
    /// Rule: an entrypoint sets the image's command aside in both; an empty entrypoint makes the command the whole call; an
    /// empty command is as good as none (moby, `daemon/commit.go`).
    mutating func addCommand(_ workload: ServiceWorkload, to container: inout Container) {
        let command = workload.service.command ?? []
        guard let entrypoint = workload.service.entrypoint else {
            container.args = command.isEmpty ? nil : command.map { reference($0, workload) }
            return
        }
        if entrypoint.isEmpty {
            if command.isEmpty {
                report(
                    workload, "entrypoint", "the image's entrypoint cannot be taken away without a command: it runs",
                    hint: "write the `command:` that is to run")
            }
            container.command = command.isEmpty ? nil : command.map { reference($0, workload) }
        } else {
            container.command = entrypoint.map { reference($0, workload) }
            container.args = command.isEmpty ? nil : command.map { reference($0, workload) }
        }
    }

    /// A word of a command as Kubernetes takes it: text escaped, each secret a `$(NAME)` of the service's own Secret.
    private mutating func reference(_ text: TemplateText, _ workload: ServiceWorkload) -> String {
        guard text.isSecret else { return escapingReferences(text.masked) }
        var result = ""
        for (index, piece) in text.pieces.enumerated() {
            switch piece {
            case .text(let part):
                let isBeforeSecret = index + 1 < text.pieces.count
                result += escapingReferences(part, before: isBeforeSecret ? UInt8(ascii: "$") : nil)
            case .secret(let name):
                result += "$(\(secretVariable(name, workload)))"
            }
        }
        return result
    }

    /// The variable that holds a secret: one of the service's own that is just that secret, else one made for it.
    private mutating func secretVariable(_ secret: String, _ workload: ServiceWorkload) -> String {
        if workload.service.environment[secret]?.text == .secret(secret) { return secret }
        let variable = "SO_SECRET_\(Names.dataKey(secret))"
        addSecretEntry(variable, .text(.secret(secret)), workload)
        return variable
    }
}
