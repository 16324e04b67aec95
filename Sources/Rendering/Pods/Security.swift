import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Renders a service's user, capabilities and other privileges.
struct SecurityStep: PodStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var reports = ReportCollector()

    mutating func run() -> SecurityContext? {
        let service = workload.service
        var context = SecurityContext()
        if service.privileged == true || spec.security.privileged { context.privileged = true }
        if service.readOnly == true { context.readOnlyRootFilesystem = true }
        context.capabilities = capabilities()
        addUser(to: &context)
        for option in service.securityOpt { addSecurityOption(option, to: &context) }
        if context.privileged == true, context.allowPrivilegeEscalation == false {
            report(
                workload, "security_opt", "a privileged container can gain privileges: no-new-privileges is left out")
            context.allowPrivilegeEscalation = nil
        }
        return context == SecurityContext() ? nil : context
    }

    private func capabilities() -> Capabilities? {
        func names(_ list: [String]) -> [String]? {
            var seen: Set<String> = []
            let names = list.map { name in
                let upper = name.uppercased()
                return upper.hasPrefix("CAP_") ? String(upper.dropFirst(4)) : upper
            }.filter { seen.insert($0).inserted }
            return names.isEmpty ? nil : names
        }
        let add = names(workload.service.capAdd + spec.security.capabilities)
        let drop = names(workload.service.capDrop)
        return add == nil && drop == nil ? nil : Capabilities(add: add, drop: drop)
    }

    private mutating func addUser(to context: inout SecurityContext) {
        guard let written = workload.service.user, !written.isEmpty, namedUser(workload) == nil else { return }
        let parts = written.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        for (index, part) in parts.enumerated() where !part.isEmpty {
            guard let number = Names.userNumber(part) ?? numberInImage(part, isGroup: index == 1, of: workload) else {
                let option = index == 0 ? "u" : "g"
                refuse(
                    workload, "user",
                    "`\(written)` names a \(index == 0 ? "user" : "group"), Kubernetes takes numbers only",
                    hint:
                        "write the number that `podman run --rm --entrypoint id \(workload.service.image ?? "IMAGE") -\(option)"
                        + " \(part)` prints")
                return
            }
            guard can(.anyNumbers) || number <= Names.largestID else {
                return refuseID(number, workload, "user")
            }
            if index == 0 { context.runAsUser = number } else { context.runAsGroup = number }
        }
    }

    /// What the image says, where somebody looked it up before.
    private func numberInImage(_ name: String, isGroup: Bool, of workload: ServiceWorkload) -> Int? {
        let image = spec.imageOverrides[workload.service.name]?.value ?? workload.service.image
        return image.flatMap { options.userNumber(ImageUser(image: $0, name: name, isGroup: isGroup)) }
    }

    private mutating func addSecurityOption(_ option: String, to context: inout SecurityContext) {
        let separator = option.firstIndex { $0 == ":" || $0 == "=" }
        let name = separator.map { String(option[..<$0]) } ?? option
        let value = separator.map { String(option[option.index(after: $0)...]) } ?? ""
        switch name {
        case "no-new-privileges": context.allowPrivilegeEscalation = value == "false"
        case "seccomp" where value == "unconfined": context.seccompProfile = SecurityProfile(type: "Unconfined")
        case "apparmor" where !value.isEmpty:
            context.appArmorProfile =
                value == "unconfined"
                ? SecurityProfile(type: "Unconfined") : SecurityProfile(type: "Localhost", localhostProfile: value)
        // A cluster wants user namespaces with it, which not every node has.
        case "systempaths" where value == "unconfined" && can(.containerSettings):
            context.procMount = "Unmasked"
        case "label": addLabel(value, option, to: &context)
        case "seccomp":
            report(workload, "security_opt", "the profile \(value) is not on the nodes: the runtime's default is used")
        default: report(workload, "security_opt", "\(option) has no equivalent and is left out")
        }
    }

    private mutating func addLabel(_ value: String, _ option: String, to context: inout SecurityContext) {
        let parts = value.split(separator: ":", maxSplits: 1).map(String.init)
        var labels = context.seLinuxOptions ?? SELinuxOptions()
        switch (parts.first, parts.count) {
        case ("user", 2): labels.user = parts[1]
        case ("role", 2): labels.role = parts[1]
        case ("type", 2): labels.type = parts[1]
        case ("level", 2): labels.level = parts[1]
        case ("disable", 1): labels.type = "spc_t"
        default:
            report(workload, "security_opt", "\(option) has no equivalent and is left out")
            return
        }
        context.seLinuxOptions = labels
    }
}

extension RenderStage {
    /// The service's user where it is a name and podman can look it up in the image.
    func namedUser(_ workload: ServiceWorkload) -> String? {
        guard can(.containerSettings), let written = workload.service.user else { return nil }
        let parts = written.split(separator: ":", maxSplits: 1).map(String.init)
        return parts.contains { Names.userNumber($0) == nil } ? written : nil
    }
}

extension ReportingStage {
    /// Names a number of a user or group that Kubernetes does not take.
    mutating func refuseID(_ number: Int, _ workload: ServiceWorkload, _ key: String, at mark: Mark? = nil) {
        refuse(
            workload, key, at: mark, "\(number) is too large: Kubernetes takes numbers up to \(Names.largestID)",
            hint: "use a smaller number in the image, or deploy to podman")
    }
}

extension Names {
    /// The largest number of a user or group that Kubernetes takes.
    static let largestID = Int(Int32.max)

    /// `root` is 0 in every image.
    static func userNumber(_ text: String) -> Int? {
        text == "root" ? 0 : Int(text).flatMap { $0 >= 0 ? $0 : nil }
    }
}
