import KubernetesObjects
import Rendering
import Testing
import YAML

@testable import Runtimes

/// Every field that a rendered pod can have does something on podman, is reported, or is listed here with the reason why neither is needed: a
/// field that is added to the objects fails these tests until podman's translation, or this list, knows it.
@Suite struct PodFieldTests {
    /// What is left out in silence, with all below it.
    private static let withoutMeaning: [String: String] = [
        "metadata.name": "the workload's name is the model's",
        "metadata.namespace": "the namespace is the model's",
        "spec.subdomain": "names are aliases in the network",
        "spec.setHostnameAsFQDN": "names are aliases in the network",
        "spec.serviceAccountName": "there is no API that a token would open",
        "spec.automountServiceAccountToken": "there is no API that a token would open",
        "spec.enableServiceLinks": "podman sets no such variables",
        "spec.dnsPolicy": "podman resolves as ClusterFirst does",
        "spec.tolerations": "there is one node",
        "spec.topologySpreadConstraints": "there is one node",
        "spec.imagePullSecrets": "logins are taken from the Secrets' templates",
        "spec.volumes[].image.pullPolicy": "image volumes are pulled where they lack",
        "spec.containers[].ports[].name": "names of ports are for Services and probes",
        "spec.containers[].securityContext.runAsNonRoot": "the user itself is given",
        "spec.containers[].startupProbe": "the workload's start periods say the same",
        "spec.containers[].readinessProbe.successThreshold": "one success is enough",
    ]

    /// What is reported as a whole, whatever its parts say, with words of the report.
    private static let reported: [String: String] = [
        "spec.nodeSelector": "placement on nodes has no meaning on podman",
        "spec.affinity": "placement on nodes has no meaning on podman",
        "spec.volumes[].nfs": "the kind of volume at /share cannot be mounted by podman",
        "spec.containers[].livenessProbe": "its liveness probe is not driven on podman",
        "spec.containers[].readinessProbe.httpGet": "only checks that run a command are driven on podman",
        "spec.containers[].readinessProbe.tcpSocket": "only checks that run a command are driven on podman",
        "spec.containers[].resources.limits.example.com/gpu": "the limit of example.com/gpu is not enforced",
    ]

    // MARK: The pods

    /// Pods that set every field among them. What excludes each other stands in different ones.
    private static let documents = [
        """
        metadata: {name: n, namespace: ns, labels: {l: "1"}, annotations: {example.com/a: "1"}}
        spec:
          hostname: h
          subdomain: sub
          setHostnameAsFQDN: true
          serviceAccountName: account
          automountServiceAccountToken: false
          enableServiceLinks: false
          runtimeClassName: gvisor
          hostUsers: false
          shareProcessNamespace: true
          dnsPolicy: ClusterFirst
          dnsConfig: {nameservers: [9.9.9.9], searches: [example.com], options: [{name: ndots, value: "2"}]}
          hostAliases: [{ip: 1.2.3.4, hostnames: [other]}]
          nodeSelector: {disk: fast}
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms: [{matchExpressions: [{key: k, operator: In, values: [a]}]}]
          tolerations: [{key: k, operator: Equal, value: v, effect: NoSchedule}]
          topologySpreadConstraints:
            - maxSkew: 1
              topologyKey: zone
              whenUnsatisfiable: ScheduleAnyway
              labelSelector: {matchLabels: {a: b}, matchExpressions: [{key: k, operator: In, values: [a]}]}
          securityContext:
            fsGroup: 5
            supplementalGroups: [6]
            sysctls: [{name: net.core.somaxconn, value: "7"}]
            seccompProfile: {type: Localhost, localhostProfile: p.json}
          imagePullSecrets: [{name: login}]
          initContainers: [{name: step, image: "init:1"}]
          restartPolicy: OnFailure
          terminationGracePeriodSeconds: 8
          volumes:
            - {name: files, configMap: {name: cm, items: [{key: k, path: f, mode: 292}], defaultMode: 292, optional: false}}
            - {name: gone, configMap: {name: absent, optional: true}}
            - {name: all, configMap: {name: cm, defaultMode: 292}}
            - {name: hidden, secret: {secretName: s, items: [{key: k, path: f, mode: 292}], defaultMode: 292}}
            - {name: lost, secret: {secretName: absent, optional: true}}
            - {name: bare, secret: {secretName: s, defaultMode: 292}}
            - {name: memory, emptyDir: {medium: Memory, sizeLimit: 1Mi}}
            - {name: path, hostPath: {path: /host, type: Directory}}
            - {name: claim, persistentVolumeClaim: {claimName: data, readOnly: true}}
            - {name: picture, image: {reference: "picture:1", pullPolicy: Always}}
            - {name: share, nfs: {server: server, path: /x, readOnly: true}}
          containers:
            - name: web
              image: web:1
              imagePullPolicy: Always
              command: [run]
              args: [more]
              workingDir: /srv
              env:
                - {name: A, value: b}
                - {name: S, valueFrom: {secretKeyRef: {name: s, key: k, optional: false}}}
                - {name: C, valueFrom: {configMapKeyRef: {name: cm, key: k, optional: false}}}
                - {name: X, valueFrom: {secretKeyRef: {name: absent, key: k, optional: true}}}
                - {name: Y, valueFrom: {configMapKeyRef: {name: absent, key: k, optional: true}}}
              envFrom:
                - {prefix: P_, secretRef: {name: s, optional: false}}
                - {prefix: Q_, configMapRef: {name: cm, optional: false}}
                - {secretRef: {name: absent, optional: true}}
                - {configMapRef: {name: absent, optional: true}}
              ports: [{name: http, containerPort: 80, protocol: TCP, hostPort: 8080, hostIP: 127.0.0.1}]
              resources: {limits: {cpu: 500m, memory: 64Mi, example.com/gpu: "1"}, requests: {cpu: 250m, memory: 32Mi}}
              securityContext:
                runAsUser: 10
                runAsGroup: 20
                runAsNonRoot: true
                privileged: true
                allowPrivilegeEscalation: false
                readOnlyRootFilesystem: true
                procMount: Unmasked
                capabilities: {add: [NET_ADMIN], drop: [ALL]}
                seLinuxOptions: {user: u, role: r, type: t, level: l}
                seccompProfile: {type: Localhost, localhostProfile: p.json}
                appArmorProfile: {type: Localhost, localhostProfile: profile}
              readinessProbe:
                exec: {command: [check]}
                initialDelaySeconds: 1
                periodSeconds: 2
                timeoutSeconds: 3
                successThreshold: 1
                failureThreshold: 4
              startupProbe: &probe
                exec: {command: [check]}
                httpGet: {path: /, port: 80, scheme: HTTP}
                tcpSocket: {port: 80}
                initialDelaySeconds: 1
                periodSeconds: 2
                timeoutSeconds: 3
                successThreshold: 1
                failureThreshold: 4
              livenessProbe: *probe
              lifecycle: {postStart: {exec: {command: [a]}}, preStop: {exec: {command: [b]}}, stopSignal: SIGINT}
              stdin: true
              tty: true
              volumeMounts:
                - {name: files, mountPath: /files, subPath: f, readOnly: true, mountPropagation: HostToContainer}
                - {name: gone, mountPath: /gone}
                - {name: all, mountPath: /all}
                - {name: hidden, mountPath: /hidden}
                - {name: lost, mountPath: /lost}
                - {name: bare, mountPath: /bare}
                - {name: memory, mountPath: /memory}
                - {name: path, mountPath: /path, readOnly: true}
                - {name: claim, mountPath: /claim}
                - {name: picture, mountPath: /picture}
                - {name: share, mountPath: /share}
            - name: side
              image: side:1
              readinessProbe: {httpGet: {path: /, port: 80, scheme: HTTP}, tcpSocket: {port: 80}}
        """,
        """
        metadata: {}
        spec:
          hostNetwork: true
          hostPID: true
          hostIPC: true
          restartPolicy: OnFailure
          securityContext: {seccompProfile: {type: Localhost, localhostProfile: p.json}}
          containers: [{name: web, image: "web:1"}]
        """,
    ]

    private static func templates() throws -> [Node] {
        try documents.map { try loadYAMLDocument(Array($0.utf8), file: "the pod") }
    }

    private static func translated(_ template: Node, isJob: Bool) throws -> String {
        var template = try NodeDecoder().decode(PodTemplateSpec.self, from: template)
        template.metadata.labels = template.metadata.labels ?? [:]
        var fixture = Fixture(directory: "/d", namespace: "so-x", image: "image:1", id: "i")
        let metadata = ObjectMeta(name: "web", namespace: "so-x")
        fixture.rendered.objects = [
            isJob
                ? .job(Job(metadata: metadata, spec: JobSpec(backoffLimit: 3, template: template)))
                : .deployment(
                    Deployment(
                        metadata: metadata,
                        spec: DeploymentSpec(
                            replicas: 1, selector: LabelSelector(matchLabels: ["a": "b"]), strategy: nil,
                            template: template))),
            .configMap(ConfigMap(metadata: ObjectMeta(name: "cm"), data: ["k": "v"])),
            .persistentVolumeClaim(
                PersistentVolumeClaim(
                    metadata: ObjectMeta(name: "data"), spec: PersistentVolumeClaimSpec(storage: "1Gi", accessModes: [])
                )),
        ]
        fixture.rendered.workloads = [
            Workload(name: "web", kind: isJob ? .job : .deployment, component: "test", services: ["web", "side"])
        ]
        let translator = PodTranslator(
            model: fixture.model, secrets: ["s": ["k": [1], "l": [2]]], storedSecrets: [], key: [1])
        var copy = translator
        return text(of: copy.translate())
    }

    /// Every stored value, in an order that does not depend on the run.
    private static func text(of value: Any) -> String {
        let mirror = Mirror(reflecting: value)
        let parts = mirror.children.map { "\($0.label ?? ""):\(text(of: $0.value))" }
        switch mirror.displayStyle {
        case .dictionary, .set: return "{\(parts.sorted().joined(separator: ","))}"
        case nil where parts.isEmpty: return "\(value)"
        default: return parts.isEmpty ? "\(value)" : "(\(parts.joined(separator: ",")))"
        }
    }

    // MARK: The walks

    /// The paths of fields that have a value, and of those that have none.
    private static func visit(_ value: Any, _ path: String, _ set: inout Set<String>, _ unset: inout Set<String>) {
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            guard let inner = mirror.children.first?.value else {
                unset.insert(path)
                return
            }
            set.insert(path)
            visit(inner, path, &set, &unset)
        case .collection: for child in mirror.children { visit(child.value, path + "[]", &set, &unset) }
        case .struct where !(value is StringMap):
            for child in mirror.children {
                let name = child.label ?? ""
                visit(child.value, path.isEmpty ? name : "\(path).\(name)", &set, &unset)
            }
        default: set.insert(path)
        }
    }

    /// The document with each of its scalars changed, one at a time.
    private static func changes(of node: Node, _ path: String = "") -> [(path: String, node: Node)] {
        switch node.content {
        case .mapping(let mapping):
            return mapping.entries.indices.flatMap { index in
                let entry = mapping.entries[index]
                return changes(of: entry.value, path.isEmpty ? entry.key : "\(path).\(entry.key)").map { change in
                    var copy = mapping
                    copy.entries[index].value = change.node
                    return (change.path, Node(.mapping(copy)))
                }
            }
        case .sequence(let items):
            return items.indices.flatMap { index in
                changes(of: items[index], path + "[]").map { change in
                    var copy = items
                    copy[index] = change.node
                    return (change.path, Node(.sequence(copy)))
                }
            }
        case .scalar(let scalar):
            let flipped = ["true": "false", "false": "true"][scalar.text]
            let number = scalar.isPlain ? Int(scalar.text).map { "\($0 + 1)" } : nil
            let text = (scalar.isPlain ? flipped : nil) ?? number ?? scalar.text + "2"
            return [(path, Node(.scalar(Scalar(text: text, isPlain: scalar.isPlain))))]
        }
    }

    private static func isBelow(_ path: String, _ prefix: String) -> Bool {
        path == prefix || path.hasPrefix(prefix + ".") || path.hasPrefix(prefix + "[]")
    }

    // MARK: The tests

    @Test func `the pods of this test set every field that a pod can have`() throws {
        var (set, unset): (Set<String>, Set<String>) = ([], [])
        for node in try Self.templates() {
            Self.visit(try NodeDecoder().decode(PodTemplateSpec.self, from: node), "", &set, &unset)
        }
        // A step is a container too.
        let missing = unset.subtracting(set).filter { !$0.hasPrefix("spec.initContainers[]") }
        #expect(missing == [], "set them in a document above, and say what becomes of them on podman")
    }

    @Test func `what a pod says changes what podman is asked, is reported, or has no meaning there`() throws {
        var (heard, unheard): (Set<String>, Set<String>) = ([], [])
        for (index, node) in try Self.templates().enumerated() {
            let isJob = index == 1
            let before = try Self.translated(node, isJob: isJob)
            for change in Self.changes(of: node) {
                let isHeard = try Self.translated(change.node, isJob: isJob) != before
                if isHeard { heard.insert(change.path) } else { unheard.insert(change.path) }
            }
        }
        let silent = unheard.subtracting(heard)
        let explained = Set(Self.reported.keys).union(Self.withoutMeaning.keys)
        let lost = silent.filter { path in !explained.contains { Self.isBelow(path, $0) } }
        #expect(lost == [], "podman's translation drops them in silence")
        let stale = explained.filter { prefix in !silent.contains { Self.isBelow($0, prefix) } }
        #expect(stale == [], "they do something by now: take them from the list")
    }

    @Test func `what podman cannot do is reported, each by itself`() throws {
        let node = try #require(try Self.templates().first)
        for (path, words) in Self.reported {
            let alone = Self.reported.keys.filter { $0 != path }.reduce(node) { node, other in
                let parts = other.replacing("[]", with: "").split(separator: ".").map(String.init)
                return Self.removing(parts[...], from: node)
            }
            #expect(try Self.translated(alone, isJob: false).contains(words), "\(path)")
        }
    }

    /// The node without a path, in all elements of lists on the way.
    private static func removing(_ path: ArraySlice<String>, from node: Node) -> Node {
        switch node.content {
        case .sequence(let items): return Node(.sequence(items.map { removing(path, from: $0) }))
        case .mapping(var mapping):
            guard let key = path.first, let value = mapping[key] else { return node }
            mapping[key] = path.count == 1 ? nil : removing(path.dropFirst(), from: value)
            return Node(.mapping(mapping))
        case .scalar: return node
        }
    }
}
