import KubernetesClient
import KubernetesObjects
import Rendering
import SystemCrypto
import YAML

/// What pod templates are marked with, so that pods roll when something changes that they only refer to.
struct TemplateNotes {
    let model: DeploymentModel
    let secrets: ClusterSecrets
    /// The ids of images that this host brings to the nodes under a name that stays.
    let images: [String: String]

    /// The workload with the revisions of the Secrets that its pods use, of their images, and of the workloads that it restarts with.
    func noted(_ node: Node, workload: String, live: LiveObject?) -> Node {
        guard let found = model.rendered.workloads.first(where: { $0.name == workload }),
            let template = model.rendered.podTemplate(of: found)
        else { return node }
        var result = node
        let used = PodReferences(template.spec).secrets.compactMap { name in
            secrets.revisions[name].map { "\(name)=\($0)" }
        }
        let path = found.templatePath + ["metadata", "annotations"]
        if !used.isEmpty {
            result = result.setting(path + [ClusterNames.secrets], .string(used.sorted().joined(separator: ",")))
        }
        let ids = imageIDs(template.spec, live)
        if !ids.isEmpty { result = result.setting(path + [ClusterNames.images], .string(ids.joined(separator: ","))) }
        let restarting = found.dependencies.filter(\.restart).compactMap { fingerprint(of: $0.workload) }
        if !restarting.isEmpty {
            result = result.setting(path + [ClusterNames.restartsWith], .string(restarting.joined(separator: ",")))
        }
        return result
    }

    /// `name=id` of each image; one that this host does not have any more is what it was.
    private func imageIDs(_ spec: PodSpec, _ live: LiveObject?) -> [String] {
        let known = (live?.imagesNote ?? "").split(separator: ",").map(String.init)
        return spec.images.sorted().compactMap { name in
            images[name].map { "\(name)=\($0.dropFirst("sha256:".count).prefix(12))" }
                ?? known.first { $0.hasPrefix("\(name)=") }
        }
    }

    private func fingerprint(of name: String) -> String? {
        guard let other = model.rendered.workloads.first(where: { $0.name == name }),
            let template = model.rendered.podTemplate(of: other), let node = try? NodeEncoder().encode(template)
        else { return nil }
        return "\(name)=\(sha256Hex(Array(node.json().utf8)).prefix(16))"
    }
}

extension Workload {
    /// Where its object has the template of its pods.
    var templatePath: [String] {
        kind == .cronJob ? ["spec", "jobTemplate", "spec", "template"] : ["spec", "template"]
    }
}

extension LiveObject {
    /// The ids of the images that its pods were rolled for last.
    var imagesNote: String? { template?.at("metadata", "annotations", ClusterNames.images)?.text }
}
