import Compose
import OrderedCollections
package import YAML

extension Spec {
    /// The keys of spec.yml, in the order in which they are written.
    static let table = SpecTable<Spec>([
        SpecKey("stack", optional: \.stack, .text(.nonEmpty), required: true, "the stack's name or path"),
        // `compose` is stack-orchestrator's name for what podman does here.
        SpecKey(
            "deploy-to", optional: \.deployTo, .choice(synonyms: ["compose": .podman]), required: true,
            "where it runs: k8s-kind, k8s or podman"),
        SpecKey("namespace", optional: \.namespace, .text(.label), "the namespace; so-<stack> by default"),
        SpecKey("kube-config", optional: \.kubeConfig, .located(.text(.nonEmpty)), "the kubeconfig of the cluster"),
        SpecKey(
            "image-registry", optional: \.imageRegistry, .text(.nonEmpty),
            "the registry that local images are pushed to and pulled from"),
        SpecKey(
            "config", \.config, .keyed(.variable, .text.emptyMeans("")),
            "values for interpolation and of equally named environment keys"),
        SpecKey(
            "config-scope", \.configScope, .choice(implied: .declared), "which services a config variable reaches"),
        SpecKey(
            "env-from-host", \.envFromHost, .list(.located(.text(.variable))),
            "variables that are read from the operator's environment"),
        SpecKey("credentials-files", \.credentialsFiles, .paths, "env files whose variables are secret"),
        SpecKey(
            "allowed-paths", \.allowedPaths, .paths,
            "files and directories outside of the stack that its compose files may read"),
        SpecKey("network", SpecNetwork.table.within(\.network), "ports, routes and certificates"),
        SpecKey(
            "volumes", \.volumes, .keyed(.name, .nullable(.text(.nonEmpty))),
            "a directory for each volume; empty: a volume of the runtime's own"),
        SpecKey(
            "configmaps", \.configmaps, .map(.name, .located(.text(.nonEmpty))),
            "a directory for each volume that is a ConfigMap"),
        SpecKey(
            "secrets", \.secrets, .keyed(.name, .list(.text(.nonEmpty)).emptyMeans([])),
            "Secrets that exist already, with their keys"),
        SpecKey(
            "resources", SpecResources.table.within(\.resources),
            "requests and limits of containers, sizes of volumes"),
        SpecKey("security", SpecSecurity.table.within(\.security), "privileges of every pod"),
        SpecKey("annotations", \.annotations, .map(.nonEmpty, .located(.text)), "annotations of every pod"),
        SpecKey("labels", \.labels, .map(.nonEmpty, .located(.text)), "labels of every pod"),
        SpecKey("replicas", \.replicas, .replicas, "how many pods every service has, or each by its name"),
        SpecKey(
            "node-affinities", \.nodeAffinities,
            .list(.record(NodeLabelRule.table) { NodeLabelRule(label: "", value: "", mark: $0) }),
            "labels of the nodes to use"),
        SpecKey(
            "node-tolerations", \.nodeTolerations,
            .list(.record(NodeToleration.table) { NodeToleration(key: "", value: "", mark: $0) }),
            "taints of nodes to tolerate"),
        SpecKey(
            "image-pull-secret", optional: \.imagePullSecret,
            .record(ImagePullSecret.table) { ImagePullSecret(server: "", username: "", mark: $0) },
            "the registry's login"),
        SpecKey("image-pull-policy", optional: \.imagePullPolicy, .choice(), "when images are pulled"),
        SpecKey(
            "image-overrides", \.imageOverrides, .map(.name, .located(.text(.nonEmpty))), "an image for each service"),
        SpecKey("kind-cluster-name", optional: \.kindClusterName, .text(.label), "the kind cluster to use"),
        SpecKey(
            "kind-node-image", optional: \.kindNodeImage, .text(.nonEmpty),
            "the image of kind's node, which chooses the version of Kubernetes"),
        SpecKey(
            "kind-mount-root", optional: \.kindMountRoot, .text(.absolutePath),
            "the directory of the host that is /mnt in kind's node"),
        SpecKey(
            "caddy-ingress-image", optional: \.caddyIngressImage, .text(.nonEmpty),
            "the image of the ingress controller"),
        SpecKey(
            "maintenance-service", optional: \.maintenanceService, .located(.servicePort),
            "who answers during a restart"),
        SpecKey(
            "external-services", \.externalServices, .externalServices, "names that point outside the deployment"),
        SpecKey("ca-certificates", \.caCertificates, .paths, "certificates that every container trusts"),
        SpecKey(
            "overrides", \.composeOverrides, .composeOverrides,
            "a compose fragment, merged over the stack's compose files"),
    ])

    /// Takes over what a validated document says.
    mutating func read(_ node: Node, _ diagnostics: inout Diagnostics) {
        Self.table.read(node, into: &self, &diagnostics)
        extensions = node.extensionKeys
    }

    /// The spec as a document that ``parseSpec(_:directory:completeness:diagnostics:)`` reads back equal, without absent keys.
    package var node: Node { .map(Self.table.pairs(self) + extensions.map { ($0.key, $0.value) }) }
}

extension Shape {
    /// The keys of spec.yml.
    static let spec = Spec.table.shape
}

extension ValueFormat where Value == [Located<String>] {
    /// Files or directories, as written.
    fileprivate static var paths: ValueFormat { .list(.located(.text(.nonEmpty))) }
}

extension ValueFormat where Value == SpecReplicas {
    /// A number for every service, or numbers by their names.
    fileprivate static var replicas: ValueFormat {
        let number = ValueFormat<Int>.integer(0...10_000)
        let numbers = ValueFormat<OrderedDictionary<String, Int>>.map(.name, number)
        return ValueFormat(shape: .scalarOr(number.shape, numbers.shape)) { node, diagnostics in
            var replicas = SpecReplicas()
            replicas.every = number.decode(node, &diagnostics)
            replicas.services = numbers.decode(node, &diagnostics) ?? [:]
            return replicas
        } encode: { replicas in
            replicas.every.flatMap(number.encode) ?? numbers.encode(replicas.services)
        }
    }
}

extension Spec {
    /// Writes the spec's keys for people, a row for each.
    package static var reference: String {
        let rows = table.shape.documentedKeys.map { key in
            "| `\(key.path)` | \(key.value.escapedForMarkdown) | \(key.summary.escapedForMarkdown) |"
        }
        return (["| Key | Value | Meaning |", "|---|---|---|"] + rows).joined(separator: "\n") + "\n"
    }
}

extension String {
    fileprivate var escapedForMarkdown: String { split(separator: "|").joined(separator: "\\|") }
}
