import KubernetesObjects
import YAML

/// A deployment as a Helm chart: the objects as templates, with values for what differs between installations.
///
/// With its default values a chart gives the objects of the rendering, save the Namespace, which `helm install
/// --create-namespace` makes, and `helm.sh/resource-policy: keep` on claims and volumes, so that no `helm uninstall` deletes
/// data. It holds no secret: values name the Secrets that must be there.
///
/// The templates use four forms only: `{{ index .Values … | toJson }}`, `{{ .Release.Namespace }}`, `with` and `range` over
/// values, and `{{ "{{" }}` for text that only looks like a template.
package struct HelmChart: Sendable {
    package private(set) var files: [ExportedFile] = []

    /// - Parameters:
    ///   - name: the chart's name; made a DNS label.
    ///   - appVersion: what is deployed: a commit or a version.
    /// - Throws: `EncodingError`; no kind here holds anything that can cause one.
    package init(_ deployment: RenderedDeployment, name: String, appVersion: String) throws {
        let name = Names.label(name)
        var templates = HelmTemplates(deployment)
        var list: [ExportedFile] = []
        for object in deployment.objects where object.kind != "Namespace" {
            let path = "templates/\(object.kind.lowercased())-\(object.name).yaml"
            list.append(ExportedFile(path: path, text: try templates.template(of: object)))
        }
        files = [
            ExportedFile(path: "Chart.yaml", text: Self.chart(name, appVersion)),
            ExportedFile(path: "values.yaml", text: templates.values.yaml),
            ExportedFile(path: ".helmignore", text: "*.bak*\n.git/\n"),
        ]
        files += list
        files.append(ExportedFile(path: "templates/NOTES.txt", text: Self.notes(deployment, name)))
    }

    private static func chart(_ name: String, _ appVersion: String) -> String {
        Node.map([
            ("apiVersion", .string("v2")), ("name", .string(name)),
            ("description", .string("The stack \(name), written by so deploy create --helm-chart")),
            ("type", .string("application")), ("version", .string("0.1.0")), ("appVersion", .string(appVersion)),
        ]).yaml()
    }

    /// What a reader of `helm install` needs next.
    private static func notes(_ deployment: RenderedDeployment, _ name: String) -> String {
        var lines = ["\(name) is installed in the namespace {{ .Release.Namespace }}.", ""]
        for object in deployment.objects {
            guard case .ingress(let ingress) = object else { continue }
            let host = HelmTemplates.reference(["hosts", ingress.metadata.name ?? ""])
            lines.append("It answers at http\(ingress.spec.tls == nil ? "" : "s")://{{ \(host) }}")
        }
        if !deployment.secrets.isEmpty {
            lines += ["", "It needs these Secrets; values under existingSecrets name others in their place:"]
            for secret in deployment.secrets {
                let name = "{{ \(HelmTemplates.reference(["existingSecrets", secret.name])) }}"
                lines.append("  \(name) with the keys \(secret.entries.map(\.key).joined(separator: ", "))")
                let literals = secret.entries.map { " --from-literal=\($0.key)=VALUE" }.joined()
                lines.append(
                    "    kubectl --namespace {{ .Release.Namespace }} create secret generic \(name)\(literals)")
            }
        }
        lines += ["", "kubectl --namespace {{ .Release.Namespace }} get pods"]
        return lines.joined(separator: "\n") + "\n"
    }
}
