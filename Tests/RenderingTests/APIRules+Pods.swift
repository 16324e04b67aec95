import YAML

extension APIRules {
    mutating func checkPod(_ pod: Node?) {
        guard let pod else { return say("no pod") }
        let containers = pod["containers"]?.sequence ?? []
        let steps = pod["initContainers"]?.sequence ?? []
        require(!containers.isEmpty, "no containers")
        checkShared(pod)
        let volumes = checkVolumes(pod)
        var names: Set<String> = []
        for container in steps + containers {
            let name = container["name"]?.text ?? ""
            require(APINames.isLabel(name), "the container's name \(name)")
            require(names.insert(name).inserted, "two containers \(name)")
            checkContainer(container, name, volumes: volumes)
        }
        for step in steps {
            for key in ["readinessProbe", "livenessProbe", "startupProbe", "lifecycle"] {
                require(step[key] == nil, "an init container with \(key)")
            }
        }
    }

    /// What all containers share.
    private mutating func checkShared(_ pod: Node) {
        let isOn = { (key: String) in pod[key]?.boolValue == true }
        require(!(isOn("shareProcessNamespace") && isOn("hostPID")), "shareProcessNamespace with hostPID")
        for key in ["hostname", "subdomain"] {
            if let name = pod[key]?.text { require(APINames.isLabel(name), "\(key) \(name)") }
        }
        if let name = pod["runtimeClassName"]?.text { require(APINames.isSubdomain(name), "runtimeClassName \(name)") }
        for alias in pod["hostAliases"]?.sequence ?? [] {
            for name in alias["hostnames"]?.sequence ?? [] {
                require(APINames.isSubdomain(name.text ?? ""), "the host alias \(name.text ?? "")")
            }
        }
        for entry in pod["nodeSelector"]?.mapping?.entries ?? [] {
            require(
                APINames.isQualified(entry.key) && APINames.isLabelValue(entry.value.text ?? ""),
                "nodeSelector \(entry.key)")
        }
        let dns = pod["dnsConfig"]
        require(dns?["nameservers"]?.sequence?.count ?? 0 <= 3, "too many name servers")
        require(dns?["searches"]?.sequence?.count ?? 0 <= 32, "too many search domains")
        for domain in dns?["searches"]?.sequence ?? [] {
            let name = domain.text ?? ""
            require(APINames.isSubdomain(name.hasSuffix(".") ? String(name.dropLast()) : name), "the domain \(name)")
        }
        for option in dns?["options"]?.sequence ?? [] {
            require(option["name"]?.text?.isEmpty == false, "an option of DNS")
        }
        var spread: Set<String> = []
        for constraint in pod["topologySpreadConstraints"]?.sequence ?? [] {
            require(spread.insert(constraint["topologyKey"]?.text ?? "").inserted, "a spread stands twice")
        }
        checkSecurity(pod)
    }

    private mutating func checkSecurity(_ pod: Node) {
        let security = pod["securityContext"]
        for group in [security?["fsGroup"]].compactMap(\.self) + (security?["supplementalGroups"]?.sequence ?? []) {
            require((0...APINames.largest).contains(group.intValue ?? -1), "the group \(group.text ?? "")")
        }
        var names: Set<String> = []
        for sysctl in security?["sysctls"]?.sequence ?? [] {
            let name = sysctl["name"]?.text ?? ""
            require(APINames.isSysctl(name), "the sysctl \(name)")
            require(names.insert(name).inserted, "the sysctl \(name) stands twice")
            require(pod["hostNetwork"]?.boolValue != true || !name.hasPrefix("net."), "\(name) on the node's network")
            let isIPC = ["kernel.shm", "kernel.msg", "kernel.sem", "fs.mqueue."].contains { name.hasPrefix($0) }
            require(pod["hostIPC"]?.boolValue != true || !isIPC, "\(name) in the node's IPC")
        }
        require(pod["terminationGracePeriodSeconds"]?.intValue ?? 0 >= 0, "terminationGracePeriodSeconds")
    }

    private mutating func checkVolumes(_ pod: Node) -> [String: Node] {
        var result: [String: Node] = [:]
        for volume in pod["volumes"]?.sequence ?? [] {
            let name = volume["name"]?.text ?? ""
            require(APINames.isLabel(name), "the volume's name \(name)")
            require(result.updateValue(volume, forKey: name) == nil, "two volumes \(name)")
            require(volume.mapping?.entries.count == 2, "the volume \(name) has not one source")
            for key in ["configMap", "secret"] {
                guard let source = volume[key] else { continue }
                require(
                    APINames.isSubdomain(source["name"]?.text ?? source["secretName"]?.text ?? ""),
                    "the source of \(name)")
                for item in source["items"]?.sequence ?? [] {
                    require(APINames.isDataKey(item["key"]?.text ?? ""), "the key \(item["key"]?.text ?? "")")
                    requireDescending(item["path"]?.text ?? "")
                    require((0...0o777).contains(item["mode"]?.intValue ?? 0), "the mode \(item["mode"]?.text ?? "")")
                }
            }
            if let path = volume["hostPath"]?["path"]?.text { requirePath(path) }
            if let size = volume["emptyDir"]?["sizeLimit"]?.text {
                require(APINames.quantity(size) ?? -1 >= 0, "the size \(size)")
            }
            if let image = volume["image"] {
                require(image["reference"]?.text?.isEmpty == false, "an image without name")
            }
        }
        return result
    }

    /// Relative, and not upwards.
    mutating func requireDescending(_ path: String) {
        require(!path.isEmpty && !path.hasPrefix("/"), "the path \(path) is not relative")
        requirePath(path)
    }

    private mutating func checkContainer(_ container: Node, _ name: String, volumes: [String: Node]) {
        let image = container["image"]?.text ?? ""
        require(!image.isEmpty && image.first != " " && image.last != " ", "\(name): the image `\(image)`")
        checkMounts(container, name, volumes)
        checkPorts(container, name)
        for variable in container["env"]?.sequence ?? [] {
            let text = variable["name"]?.text ?? ""
            require(APINames.isVariable(text), "\(name): the variable \(text)")
        }
        for source in container["envFrom"]?.sequence ?? [] {
            require(APINames.isSubdomain(source["secretRef"]?["name"]?.text ?? ""), "\(name): a Secret's name")
        }
        let resources = container["resources"]
        for entry in resources?["requests"]?.mapping?.entries ?? [] {
            let wanted = APINames.quantity(entry.value.text ?? "")
            require(wanted != nil, "\(name): the quantity \(entry.value.text ?? "")")
            guard let limit = resources?["limits"]?[entry.key]?.text else { continue }
            require(wanted ?? 0 <= APINames.quantity(limit) ?? -1, "\(name): \(entry.key): requests more than limits")
        }
        for entry in resources?["limits"]?.mapping?.entries ?? [] {
            require(APINames.quantity(entry.value.text ?? "") != nil, "\(name): the quantity \(entry.value.text ?? "")")
        }
        for key in ["readinessProbe", "livenessProbe", "startupProbe"] {
            guard let probe = container[key] else { continue }
            for field in ["periodSeconds", "timeoutSeconds", "successThreshold", "failureThreshold"] {
                let number = probe[field]?.intValue ?? 1
                require((1...APINames.largest).contains(number), "\(name): \(key).\(field) \(number)")
            }
        }
        let security = container["securityContext"]
        for key in ["runAsUser", "runAsGroup"] {
            require((0...APINames.largest).contains(security?[key]?.intValue ?? 0), "\(name): \(key)")
        }
        let isPrivileged = security?["privileged"]?.boolValue == true
        require(
            !(isPrivileged && security?["allowPrivilegeEscalation"]?.boolValue == false),
            "\(name): privileged without escalation")
        for key in ["seccompProfile", "appArmorProfile"] where security?[key]?["type"]?.text == "Localhost" {
            require(security?[key]?["localhostProfile"]?.text?.isEmpty == false, "\(name): \(key) has no profile")
        }
    }

    private mutating func checkMounts(_ container: Node, _ name: String, _ volumes: [String: Node]) {
        var paths: Set<String> = []
        for mount in container["volumeMounts"]?.sequence ?? [] {
            let path = mount["mountPath"]?.text ?? ""
            require(paths.insert(path).inserted, "\(name): two mounts at \(path)")
            require(!path.isEmpty && !path.contains(":"), "\(name): the mount path \(path)")
            require(volumes[mount["name"]?.text ?? ""] != nil, "\(name): no volume \(mount["name"]?.text ?? "")")
            if let subPath = mount["subPath"]?.text { requireDescending(subPath) }
            if mount["mountPropagation"]?.text == "Bidirectional" {
                require(
                    container["securityContext"]?["privileged"]?.boolValue == true,
                    "\(name): Bidirectional and not privileged")
            }
        }
    }

    private mutating func checkPorts(_ container: Node, _ name: String) {
        var names: Set<String> = []
        var hostPorts: Set<String> = []
        for port in container["ports"]?.sequence ?? [] {
            if let text = port["name"]?.text {
                require(APINames.isPortName(text), "\(name): the port's name \(text)")
                require(names.insert(text).inserted, "\(name): two ports \(text)")
            }
            require((1...65535).contains(port["containerPort"]?.intValue ?? 0), "\(name): a port's number")
            if let host = port["hostPort"]?.intValue {
                let key = "\(port["hostIP"]?.text ?? "")/\(host)/\(port["protocol"]?.text ?? "")"
                require(hostPorts.insert(key).inserted, "\(name): the host's port \(host) twice")
            }
        }
    }
}
