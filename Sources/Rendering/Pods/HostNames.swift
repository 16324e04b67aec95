import Compose
import KubernetesObjects
import OrderedCollections
import YAML

/// Renders a service's hostname and domainname.
struct HostNameStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        if let hostname = workload.service.hostname { addHostname(hostname) }
        guard let domain = workload.service.domainname else { return }
        guard Names.isServiceName(domain) else {
            if can(.oneHost) {
                report(workload, "domainname", "podman has no domain names: \(domain) is not known to the container")
                return
            }
            report(
                workload, "domainname", "\(domain) is outside the cluster's domain: the name is not known to the pod",
                hint: "use a single label, or reach the service by its name")
            return
        }
        set(\.subdomain, to: domain, key: "domainname", of: workload)
    }

    private mutating func addHostname(_ hostname: String) {
        guard workload.service.networkMode != "host" else {
            report(workload, "hostname", "a pod on the node's network has the node's name")
            return
        }
        // hostname: db.example.com is host and domain in one; the pod can have the first label only.
        let name = Names.label(hostname.split(separator: ".").first.map(String.init) ?? hostname)
        if name != hostname, !can(.anyNames) {
            report(workload, "hostname", "\(hostname) is not one DNS label: the pod's name is \(name)")
        }
        if !name.isEmpty { set(\.hostname, to: name, key: "hostname", of: workload) }
    }
}
