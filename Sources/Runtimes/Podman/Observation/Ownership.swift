import ExternalTools
import Rendering

/// Whose podman's objects are. A name alone makes nothing ours: the labels say the deployment and its directory.
enum Ownership {
    /// The labels of everything that is made for a deployment.
    static func labels(_ model: DeploymentModel) -> [String: String] {
        var labels = [PodmanNames.deployment: model.id, PodmanNames.owner: model.owner]
        labels[Keys.keeper] = model.keeper
        return labels
    }

    /// Refuses an object that is another deployment's, or that nobody's labels claim.
    ///
    /// - Parameters:
    ///   - what: kind and name, for people.
    ///   - allowsUnlabelled: whether one that a user made by hand may be used; it is never removed.
    /// - Throws: ``DeploymentError`` (`notPermitted`).
    static func refuse(
        _ what: String, labels: [String: String]?, for model: DeploymentModel, allowsUnlabelled: Bool = false
    ) throws(DeploymentError) {
        guard let holder = labels?[PodmanNames.deployment] else {
            if allowsUnlabelled { return }
            throw DeploymentError(
                .notPermitted, "the \(what) exists already, and was not made by so: it is left alone",
                hint: "remove or rename it, or give this deployment another `namespace:` in its spec.yml")
        }
        let owner = labels?[PodmanNames.owner]
        guard holder == model.id else {
            throw DeploymentError(
                .notPermitted, "the \(what) belongs to another deployment: \(owner ?? holder)",
                hint: "give this one another `namespace:` in its spec.yml")
        }
        guard let owner, model.isOriginal(owner) else { return }
        throw DeploymentError(
            .notPermitted,
            "the \(what) belongs to the deployment in \(owner), of which \(model.owner) is a copy with the same identity",
            hint: "make another deployment with `so deploy create`, or remove \(owner) if this one replaces it")
    }

    /// Refuses to work on what a copy of the deployment has from its original.
    static func refuseCopy(_ observed: Observed, _ model: DeploymentModel) throws(DeploymentError) {
        for pod in observed.pods { try refuse("pod \(pod.Name)", labels: pod.Labels, for: model) }
        for container in observed.containers where container.IsInfra != true {
            try refuse("container \(container.name)", labels: container.Labels, for: model)
        }
    }
}
