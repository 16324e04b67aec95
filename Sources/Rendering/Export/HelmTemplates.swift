import KubernetesObjects
import OrderedCollections
import YAML

/// The values of a chart, in the order in which the templates ask for them.
struct HelmValues {
    private(set) var root: Node = .map([
        ("commonLabels", .map([])), ("services", .map([])), ("hosts", .map([])), ("ingressClassName", .string("")),
        ("existingSecrets", .map([])),
    ])

    /// Sets the default of a value, unless it has one.
    mutating func set(_ path: [String], _ value: Node) { root = Self.setting(path[...], value, in: root) }

    subscript(path: [String]) -> Node? {
        path.reduce(root as Node?) { node, key in node?.mapping?[key] }
    }

    private static func setting(_ path: ArraySlice<String>, _ value: Node, in node: Node) -> Node {
        guard let key = path.first else { return value }
        var mapping = node.mapping ?? Mapping()
        if path.count == 1, mapping[key] != nil { return node }
        mapping[key] = setting(path.dropFirst(), value, in: mapping[key] ?? .map([]))
        return Node(.mapping(mapping))
    }

    /// values.yaml, with what each part is for.
    var yaml: String {
        let comments = [
            "commonLabels": "Labels of every object, beside its own.",
            "services": "For each container: image, resources and environment; for each workload: replicas.",
            "hosts": "The host name of each Ingress.",
            "ingressClassName": "The class of the Ingresses; empty: the cluster's default.",
            "existingSecrets":
                "The Secrets that must be there before the chart is installed; NOTES.txt names their keys.",
        ]
        return (root.mapping?.entries ?? []).map { entry in
            "# \(comments[entry.key] ?? "")\n" + Node.map([(entry.key, entry.value)]).yaml()
        }.joined(separator: "\n")
    }
}

/// Turns objects into templates: what may differ between installations becomes a mark in the tree, and the mark in the text
/// an expression.
struct HelmTemplates {
    private(set) var values = HelmValues()
    private var expressions: [Expression] = []
    private let namespace: String
    /// The key under `services` for each container of each workload.
    private var keys: [String: [String: String]] = [:]

    private enum Expression {
        /// The value of one field.
        case value(String)
        /// A field that is left out while its value is empty.
        case optional(key: String, [String])
        case commonLabels
    }

    init(_ deployment: RenderedDeployment) {
        namespace = deployment.objects.first { $0.kind == "Namespace" }?.name ?? ""
        var taken: Set<String> = []
        for workload in deployment.workloads {
            guard let template = deployment.podTemplate(of: workload) else { continue }
            for container in template.spec.containers {
                // A job of the stack may have a service of the name of another one.
                let names = [container.name, workload.name, "\(workload.name)-\(container.name)"]
                let key = names.first { !taken.contains($0) } ?? names[2]
                taken.insert(key)
                keys[workload.name, default: [:]][container.name] = key
                declare(container, as: key)
            }
        }
    }

    static func reference(_ path: [String]) -> String {
        "index .Values " + path.map { Node.string($0).json(pretty: false) }.joined(separator: " ")
    }

    private mutating func declare(_ container: Container, as key: String) {
        let path = ["services", key]
        values.set(path + ["image"], .string(container.image ?? ""))
        values.set(path + ["resources"], (try? container.resources.map { try NodeEncoder().encode($0) }) ?? .map([]))
        for variable in container.env ?? [] {
            if let value = variable.value { values.set(path + ["env", variable.name], .string(value)) }
        }
    }

    mutating func template(of object: KubernetesObject) throws -> String {
        expressions = []
        var node = try object.node()
        replace(&node, ["metadata", "namespace"]) { markNamespace($0) }
        let key = markKey(.commonLabels)
        edit(&node, ["metadata", "labels"]) { labels in
            var mapping = labels.mapping ?? Mapping()
            mapping[key] = .string("")
            labels.content = .mapping(mapping)
        }
        switch object {
        case .deployment, .daemonSet, .job: editWorkload(&node, object.name)
        case .cronJob: editPods(&node, ["spec", "jobTemplate", "spec", "template", "spec"], object.name)
        case .ingress: editIngress(&node, object.name)
        case .persistentVolume:
            replace(&node, ["spec", "claimRef", "namespace"]) { markNamespace($0) }
        default: break
        }
        if ["PersistentVolume", "PersistentVolumeClaim"].contains(object.kind) { keep(&node) }
        return text(node)
    }

    // MARK: Kinds

    private mutating func editWorkload(_ node: inout Node, _ name: String) {
        if let replicas = node.mapping?["spec"]?.mapping?["replicas"] {
            let path = ["services", name, "replicas"]
            values.set(path, replicas)
            replace(&node, ["spec", "replicas"]) { _ in mark(.value(Self.reference(path) + " | toJson")) }
        }
        editPods(&node, ["spec", "template", "spec"], name)
    }

    private mutating func editPods(_ node: inout Node, _ path: ArraySlice<String>, _ name: String) {
        edit(&node, path) { spec in
            let containers = spec.mapping?["containers"]?.sequence ?? []
            let images = Dictionary(
                containers.compactMap { container in
                    container.mapping.map { ($0["image"]?.text ?? "", $0["name"]?.text ?? "") }
                }
            ) { first, _ in first }
            for key in ["initContainers", "containers"] {
                editItems(&spec, key) { editContainer(&$0, of: name, images: images, isMain: key == "containers") }
            }
            editItems(&spec, "volumes") { volume in
                replace(&volume, ["secret", "secretName"]) { markSecret($0) }
            }
            editItems(&spec, "imagePullSecrets") { item in replace(&item, ["name"]) { markSecret($0) } }
        }
    }

    /// An init container of a service's own image follows the service's values.
    private mutating func editContainer(_ node: inout Node, of workload: String, images: [String: String], isMain: Bool)
    {
        guard let own = node.mapping?["name"]?.text, let image = node.mapping?["image"]?.text else { return }
        let container = isMain ? own : images[image] ?? own
        let name = keys[workload]?[container] ?? container
        values.set(["services", name, "image"], .string(image))
        replace(&node, ["image"]) { _ in mark(.value(Self.reference(["services", name, "image"]) + " | toJson")) }
        editItems(&node, "env") { variable in
            guard let key = variable.mapping?["name"]?.text, let value = variable.mapping?["value"]?.text else {
                return
            }
            let path = ["services", name, "env", key]
            values.set(path, .string(value))
            guard values[path]?.text == value else { return }
            replace(&variable, ["value"]) { _ in mark(.value(Self.reference(path) + " | toJson")) }
        }
        editItems(&node, "envFrom") { source in replace(&source, ["secretRef", "name"]) { markSecret($0) } }
        let resources = ["services", name, "resources"]
        guard isMain || node.mapping?["resources"] != nil, var mapping = node.mapping else { return }
        // An init container of an image of its own is declared by nobody else.
        if let written = mapping["resources"] { values.set(resources, written) }
        mapping["resources"] = nil
        let place =
            mapping.position(of: "securityContext") ?? mapping.position(of: "volumeMounts") ?? mapping.entries.count
        let key = markKey(.optional(key: "resources", resources))
        mapping.entries.insert(Mapping.Entry(key: key, value: .string("")), at: place)
        node.content = .mapping(mapping)
    }

    private mutating func editIngress(_ node: inout Node, _ name: String) {
        let path = ["hosts", name]
        edit(&node, ["spec"]) { spec in
            editItems(&spec, "rules") { rule in
                replace(&rule, ["host"]) { host in
                    values.set(path, host)
                    return mark(.value(Self.reference(path) + " | toJson"))
                }
            }
            editItems(&spec, "tls") { entry in
                editItems(&entry, "hosts") { $0 = mark(.value(Self.reference(path) + " | toJson")) }
            }
            if let written = spec.mapping?["ingressClassName"]?.text {
                values.set(["ingressClassName"], .string(written))
            }
            guard var mapping = spec.mapping else { return }
            mapping["ingressClassName"] = nil
            let key = markKey(.optional(key: "ingressClassName", ["ingressClassName"]))
            mapping.entries.insert(Mapping.Entry(key: key, value: .string("")), at: 0)
            spec.content = .mapping(mapping)
        }
    }

    private func keep(_ node: inout Node) {
        edit(&node, ["metadata"]) { metadata in
            var mapping = metadata.mapping ?? Mapping()
            var annotations = mapping["annotations"]?.mapping ?? Mapping()
            annotations["helm.sh/resource-policy"] = .string("keep")
            mapping["annotations"] = Node(.mapping(annotations))
            metadata.content = .mapping(mapping)
        }
    }

    private mutating func markNamespace(_ node: Node) -> Node {
        node.text == namespace ? mark(.value(".Release.Namespace")) : node
    }

    private mutating func markSecret(_ node: Node) -> Node {
        guard let name = node.text else { return node }
        values.set(["existingSecrets", name], .string(name))
        return mark(.value(Self.reference(["existingSecrets", name]) + " | toJson"))
    }

    // MARK: Marks

    // Letters only, so that the emitter writes them as they are.
    private static let opening = "SoTemplateMark"
    private static let closing = "End"

    private mutating func mark(_ expression: Expression) -> Node {
        .string(markKey(expression))
    }

    private mutating func markKey(_ expression: Expression) -> String {
        expressions.append(expression)
        return "\(Self.opening)\(expressions.count - 1)\(Self.closing)"
    }

    /// The text with every mark made an expression; what only looks like one is quoted.
    private func text(_ node: Node) -> String {
        let lines = node.yaml().split(separator: "\n", omittingEmptySubsequences: false)
        return lines.flatMap { line -> [String] in
            let text = Self.escaping(String(line))
            guard let (range, number) = Self.mark(in: text), number < expressions.count else { return [text] }
            let indent = String(text.prefix { $0 == " " })
            switch expressions[number] {
            case .value(let expression):
                return [text.replacingSubrange(range, with: "{{ \(expression) }}")]
            case .optional(let key, let path):
                return [
                    "\(indent){{- with \(Self.reference(path)) }}", "\(indent)\(key): {{ toJson . }}",
                    "\(indent){{- end }}",
                ]
            case .commonLabels:
                return [
                    "\(indent){{- range $key, $value := index .Values \"commonLabels\" }}",
                    "\(indent){{ toJson $key }}: {{ toJson $value }}", "\(indent){{- end }}",
                ]
            }
        }.joined(separator: "\n")
    }

    private static func mark(in line: String) -> (Range<String.Index>, Int)? {
        guard let start = line.firstRange(of: opening) else { return nil }
        let rest = line[start.upperBound...]
        let digits = rest.prefix { $0.isNumber }
        guard let number = Int(digits), rest[digits.endIndex...].hasPrefix(closing) else { return nil }
        let end = line.index(digits.endIndex, offsetBy: closing.count)
        return (start.lowerBound..<end, number)
    }

    private static func escaping(_ line: String) -> String {
        guard let range = line.firstRange(of: "{{") else { return line }
        return line[..<range.lowerBound] + "{{ \"{{\" }}" + escaping(String(line[range.upperBound...]))
    }
}

extension String {
    fileprivate func replacingSubrange(_ range: Range<Index>, with text: String) -> String {
        self[..<range.lowerBound] + text + self[range.upperBound...]
    }
}

// Free functions: their closures change the templates while a tree is walked.

/// Replaces what stands at a path of keys, if something does.
private func replace(_ node: inout Node, _ path: [String], _ change: (Node) -> Node) {
    edit(&node, path[...]) { $0 = change($0) }
}

/// Changes what stands at a path of keys, if something does.
private func edit(_ node: inout Node, _ path: ArraySlice<String>, _ change: (inout Node) -> Void) {
    guard let key = path.first else { return change(&node) }
    guard var mapping = node.mapping, var child = mapping[key] else { return }
    edit(&child, path.dropFirst(), change)
    mapping[key] = child
    node.content = .mapping(mapping)
}

/// Changes each item of the list under a key.
private func editItems(_ node: inout Node, _ key: String, _ change: (inout Node) -> Void) {
    guard var mapping = node.mapping, var items = mapping[key]?.sequence else { return }
    for index in items.indices { change(&items[index]) }
    mapping[key] = .list(items)
    node.content = .mapping(mapping)
}
