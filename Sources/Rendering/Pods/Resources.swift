import Compose
import KubernetesObjects
import OrderedCollections
import Specs

/// Renders a container's requests and limits: the spec's for the container, else the file's, else the spec's for all. None are invented.
struct ResourceStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() -> ResourceRequirements? {
        let service = workload.service
        let deploy = service.deploy?.resources
        let exact = spec.resources.byContainer[service.name] ?? ContainerResources()
        let common = spec.resources.containers
        var limits: [String: String] = [:]
        var requests: [String: String] = [:]
        let cpu = Amount.atMost(
            Amount.first(
                exact.limitedCPUs, cpus: deploy?.limits?.cpus ?? service.cpus ?? quotaCPUs(service), common.limitedCPUs)
        )
        let memory = Amount.atMost(
            Amount.first(exact.limitedMemory, bytes: deploy?.limits?.memory ?? service.memLimit, common.limitedMemory))
        limits["cpu"] = cpu?.text
        limits["memory"] = memory?.text
        let shares = service.cpuShares.map { Double($0) / 1024 }
        requests["cpu"] = request(
            Amount.first(exact.reservedCPUs, cpus: deploy?.reservations?.cpus ?? shares, common.reservedCPUs),
            limit: cpu, ["deploy.resources.reservations.cpus", "cpu_shares"])
        requests["memory"] = request(
            Amount.first(
                exact.reservedMemory, bytes: deploy?.reservations?.memory ?? service.memReservation,
                common.reservedMemory),
            limit: memory, ["deploy.resources.reservations.memory", "mem_reservation"])
        limits["ephemeral-storage"] = storageLimit()
        let devices = DeviceRequestStep(inputs: inputs, workload: workload).run(on: &pod, reporting: &reports)
        limits.merge(devices) { own, _ in own }
        guard !limits.isEmpty || !requests.isEmpty else { return nil }
        return ResourceRequirements(
            limits: limits.isEmpty ? nil : StringMap(limits), requests: requests.isEmpty ? nil : StringMap(requests))
    }

    /// What is set aside: no more than the limit, which is all that the container can have.
    private mutating func request(_ wanted: Amount?, limit: Amount?, _ keys: [String]) -> String? {
        guard let wanted, wanted.thousandths > 0 else { return nil }
        guard let limit, wanted.thousandths > limit.thousandths else { return wanted.text }
        let key = keys.first { workload.service.keys[$0] != nil } ?? keys[0]
        report(
            workload, key, at: wanted.mark,
            "\(wanted.text) is more than the limit of \(limit.text): so much is set aside",
            hint: "raise the limit, or set less aside")
        return limit.text
    }

    private mutating func storageLimit() -> String? {
        guard let written = workload.service.storageOpt["size"] else { return nil }
        if let bytes = ByteSize.parse(written), bytes > 0 { return Quantities.bytes(bytes) }
        report(workload, "storage_opt", "invalid size `\(written)`: it is left out", hint: "write such as 10G")
        return nil
    }

    private func quotaCPUs(_ service: ComposeService) -> Double? {
        guard let quota = service.cpuQuota, quota > 0 else { return nil }
        return Double(quota) / Double(service.cpuPeriod.flatMap { $0 > 0 ? $0 : nil } ?? 100_000)
    }
}
