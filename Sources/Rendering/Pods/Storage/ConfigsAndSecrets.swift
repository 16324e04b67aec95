import Compose
import KubernetesObjects
import OrderedCollections
import Specs
import YAML

/// Mounts a config or secret of the project as a file.
struct FileMountStep: DraftingStep, StoringStep {
    let inputs: PodInputs
    let reference: FileReference
    let section: Section
    let workload: ServiceWorkload
    var pod = PodDraft()
    var shared = SharedDraft()
    var reports = ReportCollector()

    /// The key of a service that mounts the file.
    enum Section: String {
        case configs
        case secrets
    }

    mutating func run() -> PodMount? {
        switch section {
        case .configs: config()
        case .secrets: secret()
        }
    }

    /// A config: a file of a hash-named ConfigMap, or of a Secret if a secret flows into it.
    private mutating func config() -> PodMount? {
        guard let config = project(of: workload).configs[reference.source] ?? layered.project.configs[reference.source]
        else {
            return nil
        }
        let target = absolutePath(reference.target ?? config.key, in: "/")
        let mode = mode()
        reportOwner(at: target, mode: mode)
        switch config.source {
        case .file(let path):
            guard let bytes = content(path, of: "config \(config.key)", at: config.mark) else { return nil }
            return configFile(config, bytes, at: target, mode: mode)
        case .content, .environment(name: _, value: .some):
            guard let text = value(of: config.source) else { return nil }
            guard let plain = text.literal else {
                let name = secretName("config-\(config.key)")
                addFileSecret(name, key: Names.dataKey(config.key), .text(text), labels: config.labels)
                return pod.mountSecret(name, key: Names.dataKey(config.key), at: target, mode: mode)
            }
            return configFile(config, Array(plain.utf8), at: target, mode: mode)
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
        _ config: Config, _ bytes: [UInt8], at target: String, mode: Int
    ) -> PodMount? {
        var set = BundledFiles()
        do throws(BundledFiles.Problem) {
            try set.add("/\(config.key)", as: config.key, tree: .memory(["/\(config.key)": bytes]))
        } catch {
            reports.error(
                "config \(config.key) \(error)", at: config.mark,
                hint: "use a named volume, or build it into the image")
            return nil
        }
        let written = Dictionary(Array(config.labels)) { _, last in last }
        let bundle = shared.storage.bundle(
            set, name: config.key, isFile: true,
            metadata: metadata(
                "", labels: labels(workload), annotations: written.filter { Names.isFreeAnnotation($0.key) }))
        return pod.mount(bundle, at: target, mode: mode)
    }

    /// A secret: a file of a Secret.
    private mutating func secret() -> PodMount? {
        guard let secret = project(of: workload).secrets[reference.source] ?? layered.project.secrets[reference.source]
        else {
            return nil
        }
        let target = absolutePath(reference.target ?? secret.key, in: "/run/secrets")
        let mode = mode()
        let isExternal = secret.source == .external
        let key = Names.dataKey(isExternal ? secret.name : secret.key)
        reportOwner(at: target, mode: mode)
        if isExternal {
            let object = Names.label(secret.name)
            pod.podman.externalFiles[.secret(object)] = ExternalFile(name: secret.name, mark: secret.mark)
            return pod.mountSecret(object, key: key, at: target, mode: mode)
        }
        let name = secretName(secret.isNamed ? secret.name : secret.key)
        switch secret.source {
        case .file(let path):
            guard let bytes = content(path, of: "secret \(secret.key)", at: secret.mark) else { return nil }
            addFileSecret(name, key: key, .bytes(bytes), labels: secret.labels)
        case .content, .environment(name: _, value: .some):
            guard let text = value(of: secret.source) else { return nil }
            addFileSecret(name, key: key, .text(text), labels: secret.labels)
        case .environment(let variable, nil):
            refuseUnset("secret \(secret.key)", variable: variable, at: secret.mark)
            return nil
        case .external, .driver: return nil
        }
        return pod.mountSecret(name, key: key, at: target, mode: mode)
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
