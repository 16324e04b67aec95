import KubernetesObjects

/// What a service is given of the host that runs it.
package struct HostAccess: Hashable, Sendable {
    /// The workload.
    package var name: String
    /// In words: `privileged`, `the host's network`, `the capability NET_ADMIN`, `/var/run/docker.sock`.
    package var grants: [String]
}

extension RenderedDeployment {
    /// What each service is given of its host; none that is given nothing.
    ///
    /// - Parameter own: directories whose content is the deployment's own; absolute.
    package func hostAccess(besides own: [String]) -> [HostAccess] {
        workloads.compactMap { workload in
            guard let pod = podTemplate(of: workload) else { return nil }
            let bound = (pod.spec.volumes ?? []).compactMap { volume in
                volume.hostPath?.path ?? volume.persistentVolumeClaim.flatMap { boundVolumes[$0.claimName] }
            }
            let grants = pod.hostGrants(
                paths: bound, besides: own, devices: workload.podman.containers.values.flatMap(\.devices))
            return grants.isEmpty ? nil : HostAccess(name: workload.name, grants: grants)
        }
    }
}

extension PodTemplateSpec {
    fileprivate func hostGrants(paths: [String], besides own: [String], devices: [String]) -> [String] {
        let containers = (spec.initContainers ?? []) + spec.containers
        let contexts = containers.compactMap(\.securityContext)
        var grants: [String] = []
        if contexts.contains(where: { $0.privileged == true }) { grants.append("every privilege (privileged)") }
        if spec.hostNetwork == true { grants.append("the host's network") }
        if spec.hostPID == true { grants.append("the host's processes") }
        if spec.hostIPC == true { grants.append("the host's shared memory") }
        grants += contexts.flatMap { $0.capabilities?.add ?? [] }.map { "the capability \($0)" }
        let profiles = contexts.map(\.seccompProfile) + [spec.securityContext?.seccompProfile]
        if profiles.contains(where: { $0?.type == "Unconfined" }) { grants.append("every system call") }
        if contexts.contains(where: { $0.procMount == "Unmasked" }) { grants.append("all of /proc and /sys") }
        for path in paths {
            let isOwn = own.contains { path == $0 || path.hasPrefix($0 + "/") }
            let isAbove = own.contains { path == "/" || $0.hasPrefix(path + "/") }
            if !isOwn { grants.append(isAbove ? "\(path), which holds the deployment itself" : path) }
        }
        grants += devices.sorted().map { "the device \($0)" }
        var seen: Set<String> = []
        return grants.filter { seen.insert($0).inserted }
    }
}
