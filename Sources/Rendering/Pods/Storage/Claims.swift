import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Finds or makes the claim of a volume.
struct ClaimStep: StoringStep {
    let inputs: PodInputs
    let mount: ComposeMount
    /// Of the service that wrote the mount.
    let workload: ServiceWorkload
    var shared = SharedDraft()
    var reports = ReportCollector()

    mutating func run() -> Claim { mount.source.map { claim($0) } ?? anonymousClaim() }

    /// The claim of a volume's key; the same one for every service that mounts it.
    private mutating func claim(_ key: String) -> Claim {
        if let claim = shared.storage.claims[key] { return claim }
        let volume = project(of: workload).volumes[key] ?? layered.project.volumes[key]
        let name = Names.label(volume.map { $0.isNamed || $0.isExternal ? $0.name : key } ?? key)
        var claim = Claim(
            name: name, source: .provisioned, size: size(key),
            labels: Dictionary(volume.map { Array($0.labels) } ?? []) { _, last in last },
            objectLabels: labels(workload))
        claim.storageClass = kompose("volume.storage-class-name", workload)
        if let volume { addDriver(volume, to: &claim) }
        if let located = spec.volumes[key], volume?.isExternal != true {
            claim.source = located.value.map { .directory(directory($0, key: key, at: located.mark)) } ?? .provisioned
            claim.boundDevice = nil
        }
        record(claim, key: key, at: volume?.mark)
        return claim
    }

    /// An anonymous volume outlives its container in compose: it gets a claim, named after its service and path.
    private mutating func anonymousClaim() -> Claim {
        let key = "\(workload.job == nil ? workload.service.name : jobName(workload))\(mount.target)"
        if let claim = shared.storage.claims[key] { return claim }
        let claim = Claim(
            name: Names.label(key), source: .provisioned, size: size(key), labels: [:],
            objectLabels: labels(workload), storageClass: kompose("volume.storage-class-name", workload))
        record(claim, key: key, at: mount.mark)
        return claim
    }

    private mutating func record(_ claim: Claim, key: String, at mark: Mark?) {
        shared.storage.claims[key] = claim
        guard claim.source != .external else { return }
        if let other = shared.storage.claimOwners.updateValue(key, forKey: claim.name) {
            reports.error(
                "volumes \(other) and \(key) both become the claim \(claim.name)", at: mark, hint: "rename one of them")
        }
    }

    private mutating func size(_ key: String) -> String {
        if let size = spec.resources.byVolume[key] ?? spec.resources.volumes { return size.value.text }
        return komposeSize(key, workload) ?? "2Gi"
    }

    /// driver, driver_opts and external.
    ///
    /// Rule: the local driver's options are those of mount(8), <https://docs.docker.com/reference/cli/docker/volume/create/>.
    private mutating func addDriver(_ volume: ComposeVolume, to claim: inout Claim) {
        if volume.isExternal { return claim.source = .external }
        if let driver = volume.driver, driver != "local", driver != "default" {
            reportTop(
                "volumes.\(volume.key).driver", at: volume.keys["driver"] ?? volume.mark,
                "the driver \(driver) is docker's: \(standardVolume)")
            return
        }
        let options = volume.driverOpts
        guard !options.isEmpty else { return }
        let mountOptions = (options["o"] ?? "").split(separator: ",").map(String.init)
        switch (options["type"], options["device"]) {
        case ("nfs", let device?), ("nfs4", let device?):
            let server = mountOptions.first { $0.hasPrefix("addr=") }.map { String($0.dropFirst(5)) } ?? ""
            let path = device.hasPrefix(":") ? String(device.dropFirst()) : device
            let mark = volume.keys["driver_opts"] ?? volume.mark
            if server.isEmpty {
                reports.error(
                    "volumes.\(volume.key).driver_opts: the options name no NFS server", at: mark,
                    hint: "write `o: addr=SERVER`")
            }
            if !path.hasPrefix("/") {
                reports.error(
                    "volumes.\(volume.key).driver_opts: `\(device)` is not a path of the NFS server", at: mark,
                    hint: "write `device: \":/path\"`")
            }
            claim.source = .nfs(server: server, path: path)
            claim.mountOptions = mountOptions.filter { !$0.hasPrefix("addr=") && $0 != "rw" }
        case ("tmpfs", _):
            let size = mountOptions.first { $0.hasPrefix("size=") }.map { String($0.dropFirst(5)) }
            claim.source = .memory(size: size.flatMap(memorySize))
        case _ where volume.boundDevice != nil:
            bind(volume, to: &claim)
        default:
            reportTop(
                "volumes.\(volume.key).driver_opts", at: volume.keys["driver_opts"] ?? volume.mark,
                "the options have no equivalent: \(standardVolume)")
        }
    }

    /// What a volume is that nothing decides about.
    private var standardVolume: String {
        can(.oneHost)
            ? "the volume is one of podman's own" : "the volume comes from the cluster's default storage class"
    }

    /// Compose resolves a relative device where the same file says `o: bind`.
    private mutating func bind(_ volume: ComposeVolume, to claim: inout Claim) {
        guard let device = volume.boundDevice else { return }
        let mark = volume.keys["driver_opts"] ?? volume.mark
        guard device.hasPrefix("/") else {
            return reports.error(
                "volumes.\(volume.key).driver_opts: the device `\(device)` is not an absolute path", at: mark,
                hint: "write an absolute path, or `device: ./\(lastPathComponent(device))` and `o: bind` in one file")
        }
        claim.source = .directory(directory(device, key: volume.key, at: mark))
        claim.boundDevice = device
    }

    /// `100m` of mount(8) as a quantity.
    private func memorySize(_ text: String) -> String? {
        let units: [Character: String] = ["k": "Ki", "m": "Mi", "g": "Gi"]
        guard let last = text.lowercased().last else { return nil }
        guard let unit = units[last] else { return Int(text).map { "\($0)" } }
        return Int(text.dropLast()).map { "\($0)\(unit)" }
    }
}
