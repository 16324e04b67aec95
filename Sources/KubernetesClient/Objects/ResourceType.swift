import ExternalTools

/// One kind of object as the API's paths name it.
package struct ResourceType: Hashable, Sendable {
    /// Empty for the core group.
    package var group: String
    package var version: String
    package var kind: String
    /// The plural of the paths: `deployments`.
    package var resource: String
    package var isNamespaced: Bool

    package init(group: String, version: String, kind: String, resource: String, isNamespaced: Bool = true) {
        self.group = group
        self.version = version
        self.kind = kind
        self.resource = resource
        self.isNamespaced = isNamespaced
    }

    package var apiVersion: String { group.isEmpty ? version : "\(group)/\(version)" }

    /// The path of the collection, or of one object of it.
    package func path(namespace: String?, name: String? = nil, subresource: String? = nil) -> String {
        var path = group.isEmpty ? "/api/\(version)" : "/apis/\(group)/\(version)"
        if isNamespaced, let namespace { path += "/namespaces/\(percentEncoded(namespace))" }
        path += "/\(resource)"
        if let name { path += "/\(percentEncoded(name))" }
        if let subresource { path += "/\(subresource)" }
        return path
    }
}

extension ResourceType {
    private static func core(_ kind: String, _ resource: String, isNamespaced: Bool = true) -> ResourceType {
        ResourceType(group: "", version: "v1", kind: kind, resource: resource, isNamespaced: isNamespaced)
    }

    package static let namespaces = core("Namespace", "namespaces", isNamespaced: false)
    package static let nodes = core("Node", "nodes", isNamespaced: false)
    package static let configMaps = core("ConfigMap", "configmaps")
    package static let secrets = core("Secret", "secrets")
    package static let persistentVolumes = core("PersistentVolume", "persistentvolumes", isNamespaced: false)
    package static let persistentVolumeClaims = core("PersistentVolumeClaim", "persistentvolumeclaims")
    package static let services = core("Service", "services")
    package static let pods = core("Pod", "pods")
    package static let events = core("Event", "events")
    package static let serviceAccounts = core("ServiceAccount", "serviceaccounts")
    package static let deployments = ResourceType(
        group: "apps", version: "v1", kind: "Deployment", resource: "deployments")
    package static let replicaSets = ResourceType(
        group: "apps", version: "v1", kind: "ReplicaSet", resource: "replicasets")
    package static let daemonSets = ResourceType(
        group: "apps", version: "v1", kind: "DaemonSet", resource: "daemonsets")
    package static let jobs = ResourceType(group: "batch", version: "v1", kind: "Job", resource: "jobs")
    package static let cronJobs = ResourceType(group: "batch", version: "v1", kind: "CronJob", resource: "cronjobs")
    package static let ingresses = ResourceType(
        group: "networking.k8s.io", version: "v1", kind: "Ingress", resource: "ingresses")
    package static let ingressClasses = ResourceType(
        group: "networking.k8s.io", version: "v1", kind: "IngressClass", resource: "ingressclasses", isNamespaced: false
    )
    package static let networkPolicies = ResourceType(
        group: "networking.k8s.io", version: "v1", kind: "NetworkPolicy", resource: "networkpolicies")
    package static let endpointSlices = ResourceType(
        group: "discovery.k8s.io", version: "v1", kind: "EndpointSlice", resource: "endpointslices")
    package static let leases = ResourceType(
        group: "coordination.k8s.io", version: "v1", kind: "Lease", resource: "leases")
    package static let runtimeClasses = ResourceType(
        group: "node.k8s.io", version: "v1", kind: "RuntimeClass", resource: "runtimeclasses", isNamespaced: false)
    package static let storageClasses = ResourceType(
        group: "storage.k8s.io", version: "v1", kind: "StorageClass", resource: "storageclasses", isNamespaced: false)
    package static let clusterRoles = ResourceType(
        group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRole", resource: "clusterroles",
        isNamespaced: false)
    package static let clusterRoleBindings = ResourceType(
        group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRoleBinding",
        resource: "clusterrolebindings", isNamespaced: false)

    /// cert-manager's: https://cert-manager.io/docs/reference/api-docs/. Not every cluster has it.
    package static let clusterIssuers = ResourceType(
        group: "cert-manager.io", version: "v1", kind: "ClusterIssuer", resource: "clusterissuers", isNamespaced: false)

    /// The kinds that need no discovery: all that `so` renders or ships.
    package static let known: [ResourceType] = [
        namespaces, nodes, configMaps, secrets, persistentVolumes, persistentVolumeClaims, services, pods, events,
        serviceAccounts, deployments, replicaSets, daemonSets, jobs, cronJobs, ingresses, ingressClasses,
        networkPolicies,
        endpointSlices, runtimeClasses, clusterRoles, clusterRoleBindings, clusterIssuers,
    ]

    /// The type of an object's kind, if it is one of ``known``.
    package static func of(apiVersion: String, kind: String) -> ResourceType? {
        known.first { $0.apiVersion == apiVersion && $0.kind == kind }
    }
}
