import KubernetesObjects

/// Keys that `so` writes on objects.
package enum Keys {
    package static let name = "app.kubernetes.io/name"
    package static let instance = "app.kubernetes.io/instance"
    package static let partOf = "app.kubernetes.io/part-of"
    package static let component = "app.kubernetes.io/component"
    package static let managedBy = "app.kubernetes.io/managed-by"
    package static let prefix = "stack-orchestrator.dev/"
    /// The RuntimeClass of `unlimited-memlock`, and the containerd handler that it stands for.
    package static let memlockHandler = "high-memlock"
    /// What the workload waits for: `db=service_healthy,seed=service_completed_successfully`.
    package static let dependsOn = prefix + "depends-on"
    /// On an extra Service: the compose service that it leads to.
    package static let aliasOf = prefix + "alias-of"
    /// On the namespace: its owner.
    package static let deploymentID = prefix + "deployment-id"
    package static let deploymentDirectory = prefix + "deployment-directory"
    /// On the namespace: who keeps the records of the deployment; absent where its directory is the record.
    package static let keeper = prefix + "keeper"
    /// On a pod: digests of what create or an update wrote into directories that it mounts from the host.
    package static let writtenContent = prefix + "written-content"
    /// On an Ingress, for podman: the address that certificates are asked for with.
    package static let acmeEmail = prefix + "acme-email"
    /// On a pod where the spec isolates networks: it is in the network whose name follows.
    package static let network = prefix + "network."
    /// On a Job from the stack's `jobs:`: the job's name.
    package static let job = prefix + "job"
}

extension RenderStage {
    /// The labels of an object of one component.
    func labels(_ name: String, component: String) -> StringMap {
        var labels = deploymentLabels
        labels[Keys.name] = Names.labelValue(name)
        labels[Keys.component] = Names.labelValue(component)
        return labels
    }

    /// The labels of what belongs to a service; where several share it, to the first of them.
    func labels(_ workload: ServiceWorkload) -> StringMap { labels(workload.name, component: workload.component) }

    /// Which pods belong to a workload.
    func selector(_ workload: String) -> StringMap {
        [Keys.name: workload, Keys.instance: Names.labelValue(options.deploymentID)]
    }

    func metadata(
        _ name: String, labels: StringMap, annotations: [String: String] = [:]
    ) -> ObjectMeta {
        ObjectMeta(
            name: name, namespace: options.namespace, labels: labels,
            annotations: annotations.isEmpty ? nil : StringMap(annotations))
    }
}
