import KubernetesObjects
import YAML

/// The objects as a kustomize base: a file for each, and the kustomization that lists them.
package struct KustomizeBase: Sendable {
    /// What stands at the head of every file: an export removes files of an earlier one only where they begin with it.
    package static let header = "# Written by so render; write changes into an overlay, not here.\n"

    package private(set) var files: [ExportedFile] = []

    /// - Throws: `EncodingError`; no kind here holds anything that can cause one.
    package init(_ deployment: RenderedDeployment) throws {
        var names: Set<String> = []
        for object in deployment.objects {
            let stem = "\(object.kind.lowercased())-\(object.name)"
            var name = stem
            // Equal names of one kind stand in different namespaces.
            while !names.insert(name).inserted { name += "-\(object.metadata.namespace ?? "x")" }
            files.append(ExportedFile(path: name + ".yaml", text: Self.header + (try object.node().yaml())))
        }
        let kustomization: Node = .map([
            ("apiVersion", .string("kustomize.config.k8s.io/v1beta1")), ("kind", .string("Kustomization")),
            ("resources", .list(files.map { .string($0.path) })),
        ])
        files.append(
            ExportedFile(
                path: "kustomization.yaml", text: Self.header + Self.secrets(deployment) + kustomization.yaml()))
    }

    /// Secrets are never printed: the reader is told which ones the objects need.
    private static func secrets(_ deployment: RenderedDeployment) -> String {
        guard !deployment.secrets.isEmpty else { return "" }
        let lines = deployment.secrets.map { secret in
            "#   \(secret.name): \(secret.entries.map(\.key).joined(separator: ", "))\n"
        }
        return "# Secrets that must be there, with their keys; an overlay's secretGenerator can make them:\n"
            + lines.joined()
    }
}
