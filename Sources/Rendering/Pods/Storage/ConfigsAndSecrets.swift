import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

extension PodStage {
    /// A config: a file of a hash-named ConfigMap, or of a Secret if a secret flows into it.
    mutating func configMount(_ reference: FileReference, _ workload: ServiceWorkload, pod: inout PodDraft) -> PodMount?
    {
        guard let config = project(of: workload).configs[reference.source] ?? layered.project.configs[reference.source]
        else {
            return nil
        }
        let target = absolutePath(reference.target ?? config.key, in: "/")
        let mode = mode(of: reference, "configs", workload)
        reportOwner(reference, "configs", at: target, mode: mode, workload, pod: &pod)
        switch config.source {
        case .file(let path):
            guard let bytes = content(path, of: "config \(config.key)", at: config.mark) else { return nil }
            return configFile(config, bytes, at: target, mode: mode, workload, pod: &pod)
        case .content, .environment(name: _, value: .some):
            guard let text = value(of: config.source) else { return nil }
            guard let plain = text.literal else {
                let name = secretName("config-\(config.key)")
                addFileSecret(name, key: Names.dataKey(config.key), .text(text), workload, labels: config.labels)
                return secretFile(name, key: Names.dataKey(config.key), at: target, mode: mode, pod: &pod)
            }
            return configFile(config, Array(plain.utf8), at: target, mode: mode, workload, pod: &pod)
        case .environment(let name, nil):
            refuseUnset("config \(config.key)", variable: name, at: config.mark)
        case .external:
            pod.podman.externalFiles[.configMap(Names.label(config.name))] = ExternalFile(
                name: config.name, mark: config.mark)
            var volume = PodVolume(name: Names.label("config-\(config.name)"))
            let item = KeyToPath(key: Names.dataKey(config.name), path: Names.dataKey(config.name), mode: mode)
            volume.configMap = ConfigMapVolumeSource(name: Names.label(config.name), items: [item])
            return PodMount(name: pod.add(volume), mountPath: target, subPath: item.path, readOnly: true)
        case .driver: break
        }
        return nil
    }

    private mutating func configFile(
        _ config: Config, _ bytes: [UInt8], at target: String, mode: Int, _ workload: ServiceWorkload,
        pod: inout PodDraft
    ) -> PodMount? {
        var set = BundledFiles()
        do throws(BundledFiles.Problem) {
            try set.add("/\(config.key)", as: config.key, tree: .memory(["/\(config.key)": bytes]))
        } catch {
            reports.error(
                "config \(config.key) \(describe(error))", at: config.mark,
                hint: "use a named volume, or build it into the image")
            return nil
        }
        let written = Dictionary(Array(config.labels)) { _, last in last }
        let bundle = bundle(set, name: config.key, isFile: true, labels: labels(workload), annotations: written)
        return mounted(bundle, at: target, mode: mode, pod: &pod)
    }

    /// A secret: a file of a Secret.
    mutating func secretMount(_ reference: FileReference, _ workload: ServiceWorkload, pod: inout PodDraft) -> PodMount?
    {
        guard let secret = project(of: workload).secrets[reference.source] ?? layered.project.secrets[reference.source]
        else {
            return nil
        }
        let target = absolutePath(reference.target ?? secret.key, in: "/run/secrets")
        let mode = mode(of: reference, "secrets", workload)
        let isExternal = secret.source == .external
        let key = Names.dataKey(isExternal ? secret.name : secret.key)
        reportOwner(reference, "secrets", at: target, mode: mode, workload, pod: &pod)
        if isExternal {
            let object = Names.label(secret.name)
            pod.podman.externalFiles[.secret(object)] = ExternalFile(name: secret.name, mark: secret.mark)
            return secretFile(object, key: key, at: target, mode: mode, pod: &pod)
        }
        let name = secretName(secret.isNamed ? secret.name : secret.key)
        switch secret.source {
        case .file(let path):
            guard let bytes = content(path, of: "secret \(secret.key)", at: secret.mark) else { return nil }
            addFileSecret(name, key: key, .bytes(bytes), workload, labels: secret.labels)
        case .content, .environment(name: _, value: .some):
            guard let text = value(of: secret.source) else { return nil }
            addFileSecret(name, key: key, .text(text), workload, labels: secret.labels)
        case .environment(let variable, nil):
            refuseUnset("secret \(secret.key)", variable: variable, at: secret.mark)
            return nil
        case .external, .driver: return nil
        }
        return secretFile(name, key: key, at: target, mode: mode, pod: &pod)
    }

    /// The text of a config or secret that is not a file.
    private func value(of source: FileSource) -> TemplateText? {
        switch source {
        case .content(let text): text
        case .environment(name: _, value: let variable): variable?.value
        case .file, .external, .driver: nil
        }
    }

    private mutating func content(_ path: String, of what: String, at mark: Mark) -> [UInt8]? {
        do {
            let bytes = try tree.read(path)
            guard bytes.count <= BundledFiles.limit else {
                reports.error(
                    "\(what) holds more than \(BundledFiles.limit >> 10) KiB", at: mark,
                    hint: "use a named volume, or build it into the image")
                return nil
            }
            return bytes
        } catch {
            if reports.isFirst("\(what) unreadable") {
                reports.append(Diagnostic(error, of: what, at: mark))
            }
            return nil
        }
    }

    private mutating func refuseUnset(_ what: String, variable: String, at mark: Mark) {
        guard reports.isFirst("\(what) unset") else { return }
        reports.error(
            "\(what) takes the variable \(variable), which nothing sets", at: mark,
            hint: "set it in the spec's `config`, a credentials file or `.env`")
    }

    /// The Secret of a compose secret must not be one that `so` makes for itself.
    private func secretName(_ written: String) -> String {
        let name = Names.label(written)
        let isTaken =
            name == StackSecretNames.generated || name == StackSecretNames.registry
            || collection.environmentSecrets.contains(name)
        return isTaken ? Names.label("\(name)-file") : name
    }
}
