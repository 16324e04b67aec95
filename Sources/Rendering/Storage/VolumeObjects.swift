import KubernetesObjects
import OrderedCollections

extension StorageStage {
    /// PersistentVolumes and claims of everything that somebody mounts.
    func volumeObjects() -> (volumes: [PersistentVolume], claims: [PersistentVolumeClaim]) {
        var result: (volumes: [PersistentVolume], claims: [PersistentVolumeClaim]) = ([], [])
        for claim in claims.values {
            switch claim.source {
            case .external, .memory: continue
            case .provisioned:
                var object = object(claim)
                object.spec.storageClassName = claim.storageClass
                result.claims.append(object)
            case .directory, .nfs:
                let volume = persistentVolume(claim)
                result.volumes.append(volume)
                var object = object(claim)
                object.spec.storageClassName = ""
                object.spec.volumeName = volume.metadata.name
                result.claims.append(object)
            }
        }
        return result
    }

    private func object(_ claim: Claim) -> PersistentVolumeClaim {
        PersistentVolumeClaim(
            metadata: metadata(
                claim.name, labels: claim.objectLabels,
                annotations: claim.labels.filter { Names.isFreeAnnotation($0.key) }),
            spec: PersistentVolumeClaimSpec(storage: claim.size, accessModes: modes(claim)))
    }

    private func modes(_ claim: Claim) -> [String] { [claim.isExclusive ? "ReadWriteOnce" : "ReadWriteMany"] }

    /// Retain, and reserved for this deployment's claim: neither another claim nor a deleted one loses the data.
    private func persistentVolume(_ claim: Claim) -> PersistentVolume {
        var spec = PersistentVolumeSpec(storage: claim.size, accessModes: modes(claim))
        spec.storageClassName = ""
        spec.persistentVolumeReclaimPolicy = "Retain"
        spec.claimRef = ObjectReference(
            apiVersion: "v1", kind: "PersistentVolumeClaim", namespace: options.namespace, name: claim.name)
        switch claim.source {
        case .directory(let path):
            // A directory missing on a kind node is one that was never mounted: data there would die with the node.
            spec.hostPath = HostPathVolumeSource(
                path: path, type: can(.mappedNode) ? "Directory" : "DirectoryOrCreate")
        case .nfs(let server, let path):
            spec.nfs = NFSVolumeSource(server: server, path: path)
            spec.mountOptions = claim.mountOptions.isEmpty ? nil : claim.mountOptions
        case .provisioned, .external, .memory: break
        }
        let name = "\(options.namespace)-\(claim.name)"
        return PersistentVolume(
            metadata: ObjectMeta(name: name, labels: claim.objectLabels), spec: spec)
    }
}
