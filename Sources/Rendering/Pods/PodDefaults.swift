import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Takes from every pod what it is without unless somebody asks for it: the "restricted" wishes of the Pod Security Standards that programs rarely notice,
/// <https://kubernetes.io/docs/concepts/security/pod-security-standards/>. Each has a key in the spec's `security` that takes it back.
struct PodDefaultStep: DraftingStep {
    let inputs: PodInputs
    let group: Group
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        addServiceAccount()
        addSystemCalls()
        guard !spec.security.privilegeEscalation else { return }
        pod.spec.initContainers = pod.spec.initContainers.map { $0.map(withoutEscalation) }
        pod.spec.containers = pod.spec.containers.map(withoutEscalation)
    }

    /// Nothing in a compose file talks to the API of its cluster; what does, has an account of its own.
    private mutating func addServiceAccount() {
        guard can(.kubernetesObjects) else { return }
        let names = group.workloads.map { workloads[$0].service.name }
        let account = names.compactMap { spec.security.serviceAccounts[$0] }.first
        pod.spec.serviceAccountName = account?.value
        if account == nil, !spec.security.serviceAccountToken { pod.spec.automountServiceAccountToken = false }
    }

    /// Podman has its own profile where none is written; Kubernetes has none by itself.
    private mutating func addSystemCalls() {
        let type: String
        switch spec.security.seccomp {
        case .runtimeDefault where can(.standardSystemCalls): return
        case .runtimeDefault: type = "RuntimeDefault"
        case .unconfined: type = "Unconfined"
        }
        var context = pod.spec.securityContext ?? PodSecurityContext()
        context.seccompProfile = SecurityProfile(type: type)
        pod.spec.securityContext = context
    }

    /// Programs gain no privileges that their caller lacks: the setuid bit and file capabilities have no effect.
    ///
    /// Not where compose says otherwise (`security_opt: [no-new-privileges:false]`), nor where it gives privileges: the API refuses the one with
    /// the other, and capabilities reach a user other than root only through files.
    private func withoutEscalation(_ container: Container) -> Container {
        var container = container
        var context = container.securityContext ?? SecurityContext()
        let isGiven = context.privileged == true || context.capabilities?.add?.isEmpty == false
        guard context.allowPrivilegeEscalation == nil, !isGiven else { return container }
        context.allowPrivilegeEscalation = false
        container.securityContext = context
        return container
    }
}
