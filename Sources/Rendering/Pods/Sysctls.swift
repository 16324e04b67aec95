import Compose
import KubernetesObjects
import OrderedCollections
import YAML

/// The sysctls that every kubelet allows: https://kubernetes.io/docs/tasks/administer-cluster/sysctl-cluster/ (Kubernetes 1.36).
private let safeSysctls: Set = [
    "kernel.shm_rmid_forced", "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies", "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports", "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout", "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
]

/// Whether nodes take pods with the sysctl without being told to; its parts may be divided by slashes, as sysctl(8) has them too.
package func isSafeSysctl(_ name: String) -> Bool {
    safeSysctls.contains(name) || safeSysctls.contains(name.replacing("/", with: "."))
}

/// Renders a service's group_add and sysctls.
struct SysctlStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    /// The API refuses what is not a sysctl, and those of a namespace that is the node's.
    private mutating func mayHave(sysctl name: String) -> Bool {
        guard !can(.anyNames) else { return true }
        let isName = Names.isSubdomain(name.replacing(scalar: "_", with: "-").replacing(scalar: "/", with: "."))
        let isIPC = ["kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue."].contains { name.hasPrefix($0) }
        let isNodes = pod.spec.hostNetwork == true && name.hasPrefix("net.") || pod.spec.hostIPC == true && isIPC
        if isName, !isNodes { return true }
        report(
            workload, "sysctls",
            isName ? "\(name) would be the node's own there, and is left out" : "invalid sysctl \(name): it is left out"
        )
        return false
    }

    /// A kubelet rejects pods with a sysctl that is not on its list.
    private mutating func reportUnsafe(_ sysctl: String) {
        guard can(.nodes), !isSafeSysctl(sysctl) else { return }
        report(
            workload, "sysctls",
            "\(sysctl) is an unsafe sysctl: nodes reject the pod (SysctlForbidden) unless their kubelet runs with "
                + "--allowed-unsafe-sysctls=\(sysctl)", hint: "allow it on the nodes, or leave it out")
    }

    mutating func run() {
        var context = pod.spec.securityContext ?? PodSecurityContext()
        for group in workload.service.groupAdd {
            guard let number = Names.userNumber(group) else {
                if can(.anyNames) { continue }
                refuse(
                    workload, "group_add", "`\(group)` is a name, Kubernetes takes numbers only",
                    hint: "write the group's number in the image")
                continue
            }
            guard can(.anyNumbers) || number <= Names.largestID else {
                refuseID(number, workload, "group_add")
                continue
            }
            if context.supplementalGroups?.contains(number) != true {
                context.supplementalGroups = (context.supplementalGroups ?? []) + [number]
            }
        }
        for (name, value) in workload.service.sysctls where mayHave(sysctl: name) {
            if let other = context.sysctls?.first(where: { $0.name == name }) {
                guard other.value != value else { continue }
                refuse(
                    workload, "sysctls", "\(name) differs within the pod that the service shares",
                    hint: "write the same value")
            } else {
                context.sysctls = (context.sysctls ?? []) + [Sysctl(name: name, value: value)]
                reportUnsafe(name)
            }
        }
        pod.spec.securityContext = context == PodSecurityContext() ? nil : context
    }
}
