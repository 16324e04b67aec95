import KubernetesObjects
import YAML

/// What the API's validation asks beyond the types of the published schema, for the kinds that are rendered.
///
/// Rules: pkg/apis/core/validation and its siblings of Kubernetes 1.36.
struct APIRules {
    private(set) var problems: [String] = []
    private var place = ""

    static func problems(of objects: [KubernetesObject]) throws -> [String] {
        var rules = APIRules()
        var identities: Set<String> = []
        for object in objects {
            rules.place = object.identity
            if !identities.insert(object.identity).inserted { rules.say("stands twice") }
            rules.check(try object.node())
        }
        return rules.problems
    }

    mutating func say(_ what: String) { problems.append("\(place): \(what)") }

    mutating func require(_ holds: Bool, _ what: @autoclosure () -> String) { if !holds { say(what()) } }

    private mutating func check(_ object: Node) {
        let kind = object["kind"]?.text ?? ""
        checkMetadata(object["metadata"], kind: kind)
        let spec = object["spec"]
        switch kind {
        case "Deployment", "DaemonSet", "Job": checkWorkload(kind, spec)
        case "CronJob":
            require(spec?["schedule"]?.text?.isEmpty == false, "no schedule")
            require(object["metadata"]?["name"]?.text?.utf8.count ?? 0 <= 52, "the name is too long for its Jobs")
            checkWorkload("Job", spec?["jobTemplate"]?["spec"])
        case "Service": checkService(spec)
        case "ConfigMap", "Secret":
            for key in ["data", "binaryData", "stringData"] {
                for entry in object[key]?.mapping?.entries ?? [] {
                    require(APINames.isDataKey(entry.key), "the key \(entry.key)")
                }
            }
        case "PersistentVolumeClaim", "PersistentVolume": checkStorage(spec)
        case "Ingress": checkIngress(spec)
        default: break
        }
    }

    mutating func checkMetadata(_ metadata: Node?, kind: String) {
        if let name = metadata?["name"]?.text {
            let isLabel = ["Service", "Namespace"].contains(kind)
            require(
                isLabel
                    ? APINames.isLabel(name) && (kind != "Service" || name.utf8.first.map { $0 >= 97 } == true)
                    : APINames.isSubdomain(name), "the name \(name)")
            if kind == "Job" { require(name.utf8.count <= 63, "the name \(name) is too long for its pods") }
        }
        for entry in metadata?["labels"]?.mapping?.entries ?? [] {
            require(APINames.isQualified(entry.key), "the label \(entry.key)")
            require(
                APINames.isLabelValue(entry.value.text ?? ""),
                "the label's value \(entry.key)=\(entry.value.text ?? "")")
        }
        var size = 0
        for entry in metadata?["annotations"]?.mapping?.entries ?? [] {
            require(APINames.isQualified(entry.key.lowercased()), "the annotation \(entry.key)")
            size += entry.key.utf8.count + (entry.value.text ?? "").utf8.count
        }
        require(size <= 256 << 10, "annotations of \(size) bytes")
    }

    private mutating func checkWorkload(_ kind: String, _ spec: Node?) {
        for key in [
            "replicas", "backoffLimit", "completions", "parallelism", "minReadySeconds", "progressDeadlineSeconds",
        ] {
            if let number = spec?[key]?.intValue {
                require((0...APINames.largest).contains(number), "\(key): \(number)")
            }
        }
        let ready = spec?["minReadySeconds"]?.intValue ?? 0
        if kind == "Deployment" {
            require(
                (spec?["progressDeadlineSeconds"]?.intValue ?? 600) > ready,
                "progressDeadlineSeconds is not above \(ready)")
        }
        for key in ["strategy", "updateStrategy"] {
            guard let update = spec?[key]?["rollingUpdate"] else { continue }
            require(spec?[key]?["type"]?.text == "RollingUpdate", "rollingUpdate of another strategy")
            let values = ["maxUnavailable", "maxSurge"].map { update[$0]?.text ?? "0" }
            require(values.contains { !["0", "0%"].contains($0) }, "nothing can be updated")
            if kind == "DaemonSet" {
                require(values.contains { ["0", "0%"].contains($0) }, "both surge and unavailable")
            }
        }
        guard let template = spec?["template"] else { return say("no template") }
        checkMetadata(template["metadata"], kind: "Pod")
        for entry in spec?["selector"]?["matchLabels"]?.mapping?.entries ?? [] {
            require(
                template["metadata"]?["labels"]?[entry.key]?.text == entry.value.text, "the selector misses its pods")
        }
        let policy = template["spec"]?["restartPolicy"]?.text
        require(
            kind == "Job" ? ["Never", "OnFailure"].contains(policy) : [nil, "Always"].contains(policy), "restartPolicy")
        checkPod(template["spec"])
    }

    private mutating func checkService(_ spec: Node?) {
        let ports = spec?["ports"]?.sequence ?? []
        var names: Set<String> = []
        var numbers: Set<String> = []
        for port in ports {
            let name = port["name"]?.text ?? ""
            require(ports.count == 1 || APINames.isLabel(name), "the port's name \(name)")
            require(names.insert(name).inserted, "the port \(name) stands twice")
            let number = port["port"]?.intValue ?? 0
            require((1...65535).contains(number), "the port \(number)")
            require(
                numbers.insert("\(number)/\(port["protocol"]?.text ?? "TCP")").inserted,
                "the port \(number) stands twice")
            if let name = port["appProtocol"]?.text { require(APINames.isQualified(name), "appProtocol \(name)") }
            if let node = port["nodePort"]?.intValue { require((30000...32767).contains(node), "nodePort \(node)") }
        }
        let isHeadless = spec?["clusterIP"]?.text == "None"
        require(!(isHeadless && spec?["type"]?.text == "NodePort"), "a headless NodePort")
        if spec?["type"]?.text == "ExternalName" {
            require(APINames.isSubdomain(spec?["externalName"]?.text ?? ""), "externalName")
        } else {
            require(isHeadless || !ports.isEmpty, "no ports")
        }
    }

    private mutating func checkStorage(_ spec: Node?) {
        let size = spec?["resources"]?["requests"]?["storage"]?.text ?? spec?["capacity"]?["storage"]?.text
        require(APINames.quantity(size ?? "") ?? 0 > 0, "storage \(size ?? "")")
        if let path = spec?["hostPath"]?["path"]?.text { requirePath(path) }
        if let nfs = spec?["nfs"] {
            require(nfs["server"]?.text?.isEmpty == false, "no NFS server")
            require(nfs["path"]?.text?.hasPrefix("/") == true, "the NFS path")
        }
    }

    private mutating func checkIngress(_ spec: Node?) {
        for rule in spec?["rules"]?.sequence ?? [] {
            if let host = rule["host"]?.text {
                require(
                    APINames.isSubdomain(host.hasPrefix("*.") ? String(host.dropFirst(2)) : host), "the host \(host)")
            }
            for path in rule["http"]?["paths"]?.sequence ?? [] {
                require(path["path"]?.text?.hasPrefix("/") == true, "the path \(path["path"]?.text ?? "")")
            }
        }
    }

    mutating func requirePath(_ path: String) {
        require(!path.split(separator: "/").contains(".."), "the path \(path) goes upwards")
    }
}
