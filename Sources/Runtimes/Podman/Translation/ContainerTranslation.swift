import ExternalTools
import KubernetesObjects
import Rendering
import SystemCrypto
import YAML

extension PodTranslator {
    mutating func container(_ container: Container, in context: PodContext, role: String) -> PodmanContainer {
        let environment = environment(container, container.name)
        let mounts = mounts(container, in: context)
        let isInit = role == "init"
        refuseTransport(container.image ?? "", container.name)
        var labels = context.annotations.merging(context.labels) { $1 }
        labels[PodmanNames.role] = role
        labels[PodmanNames.container] = container.name
        var result = PodmanContainer(
            container: container.name, name: PodmanNames.container(context.pod, container.name),
            image: container.image ?? "", pullPolicy: container.imagePullPolicy ?? "IfNotPresent", labels: labels,
            network: context.hasInfra ? [] : context.network, restart: isInit ? .never : context.restart,
            stopSeconds: context.spec.terminationGracePeriodSeconds ?? 10,
            secretObjects: environment.stored + mounts.secrets, fileSets: mounts.fileSets,
            readiness: isInit ? nil : readiness(container, context),
            postStart: container.lifecycle?.postStart?.exec?.command,
            preStop: container.lifecycle?.preStop?.exec?.command)
        result.process = PodmanProcess(
            workingDirectory: container.workingDir, isInteractive: container.stdin == true,
            hasTerminal: container.tty == true, stopSignal: container.lifecycle?.stopSignal)
        result.kernel = kernel(context)
        result.user = user(container, context)
        result.security = security(container, context)
        result.resources = resources(container)
        addSettings(context.workload.podman[container.name], to: &result)
        if role == "main" { result.contents += initProcess(context) }
        addMounts(mounts, of: container, to: &result)
        addVariables(environment, to: &result)
        addSecrets(of: container, to: &result)
        let known = environment.values
        result.entrypoint = container.command.map { $0.map { expand($0) { known[$0] } } }
        result.arguments = container.args.map { $0.map { expand($0) { known[$0] } } }
        if container.livenessProbe != nil {
            findings.warning("\(container.name): its liveness probe is not driven on podman", at: nil)
        }
        return result
    }

    private func addMounts(_ mounts: ResolvedMounts, of container: Container, to result: inout PodmanContainer) {
        result.contents += mounts.options
        result.contentCopies = mounts.contentCopies
        result.anonymousVolumes = mounts.anonymousVolumes
        result.mountedPaths = (container.volumeMounts ?? []).map(\.mountPath)
    }

    private mutating func addSecrets(of container: Container, to result: inout PodmanContainer) {
        for secret in result.secretObjects {
            add(&result.contents, container.name) { () throws(UnwritablePart) in try secret.option() }
        }
        if keepsSecretsOffItsRoot(container, result.secretObjects) {
            result.contents.append(.whole("--tmpfs", "/run/secrets:rw,mode=755"))
        }
    }

    /// The one door of images to podman: containers and image volumes.
    mutating func refuseTransport(_ image: String, _ container: String) {
        guard !image.isEmpty, !ImageReference.isName(image) else { return }
        findings.error(
            "\(container): podman would not read `\(image)` as the name of an image", at: nil,
            hint: "write [registry/]path[:tag], with the registry where the name is one of podman's transports")
    }

    /// Whether secret files have to be given a directory: on a read-only root, podman 4.3 cannot make the files that they are mounted on.
    private func keepsSecretsOffItsRoot(_ container: Container, _ secrets: [PodmanSecret]) -> Bool {
        guard container.securityContext?.readOnlyRootFilesystem == true,
            container.volumeMounts?.contains(where: { $0.mountPath == "/run/secrets" }) != true
        else { return false }
        return secrets.contains { secret in
            if case .file(let path, _, _, _) = secret.use { path.hasPrefix("/run/secrets/") } else { false }
        }
    }

    /// A pod of one container has no pause process that could reap: podman's own init does it, and passes signals on.
    private mutating func initProcess(_ context: PodContext) -> [PodmanOption] {
        guard !context.hasInfra, context.spec.shareProcessNamespace == true, context.spec.hostPID != true else {
            return []
        }
        if hasInitProgram { return [.flag("--init")] }
        findings.warning(
            "\(context.workload.name): `init` is left out, for podman finds no catatonit", at: nil,
            hint: "apt-get install catatonit")
        return []
    }

    /// Plain values stand in the arguments, secret ones in podman's store. None stands in podman's own environment: what podman starts as root
    /// would read it there, whatever its name.
    private mutating func addVariables(_ environment: ResolvedEnvironment, to container: inout PodmanContainer) {
        for name in environment.names {
            switch environment.values[name] {
            case .plain(let text)? where !isAlteredByPodman(text):
                container.contents.append(.whole("--env", "\(name)=\(text)"))
            // Its store keeps no empty values; an empty one tells nothing.
            case .secret("")?: container.contents.append(.whole("--env", "\(name)="))
            case let value?:
                let bytes = Array(value.text.utf8)
                let digest = hmacSHA256Hex(key: key, message: bytes)
                container.secretObjects.append(
                    PodmanSecret(
                        name: PodmanNames.secret(model.namespace, "env", name, digest), value: bytes,
                        use: .variable(name)))
            case nil: continue
            }
        }
    }

    private func kernel(_ context: PodContext) -> [PodmanOption] {
        var options: [PodmanOption] = []
        if context.spec.hostPID == true { options.append(.whole("--pid", "host")) }
        if context.spec.hostIPC == true { options.append(.whole("--ipc", "host")) }
        if let pod = context.spec.securityContext {
            options += (pod.supplementalGroups ?? []).map { .element("--group-add", "\($0)") }
            if let group = pod.fsGroup { options.append(.element("--group-add", "\(group)")) }
            options += (pod.sysctls ?? []).map { .element("--sysctl", "\($0.name)=\($0.value)") }
        }
        return options
    }

    /// The number counts over the name, which stands where there is none.
    private func user(_ container: Container, _ context: PodContext) -> String? {
        guard let number = container.securityContext?.runAsUser else {
            return context.workload.podman[container.name].user
        }
        return "\(number)" + (container.securityContext?.runAsGroup.map { ":\($0)" } ?? "")
    }

    private func security(_ container: Container, _ context: PodContext) -> [PodmanOption] {
        var options: [PodmanOption] = []
        let security = container.securityContext ?? SecurityContext()
        if security.privileged == true { options.append(.flag("--privileged")) }
        if security.readOnlyRootFilesystem == true {
            options += [.flag("--read-only"), .flag("--read-only-tmpfs=false")]
        }
        options += (security.capabilities?.add ?? []).map { .element("--cap-add", $0) }
        options += (security.capabilities?.drop ?? []).map { .element("--cap-drop", $0) }
        return options + securityOptions(security, context.spec.securityContext).map { .whole("--security-opt", $0) }
    }

    private func securityOptions(_ security: SecurityContext, _ pod: PodSecurityContext?) -> [String] {
        var options: [String] = []
        if security.allowPrivilegeEscalation == false { options.append("no-new-privileges") }
        for (name, profile) in [
            ("seccomp", security.seccompProfile ?? pod?.seccompProfile), ("apparmor", security.appArmorProfile),
        ] {
            switch profile?.type {
            case "Unconfined": options.append("\(name)=unconfined")
            case "Localhost": options.append("\(name)=\(profile?.localhostProfile ?? "")")
            default: continue
            }
        }
        if security.procMount == "Unmasked" { options.append("unmask=ALL") }
        let linux = security.seLinuxOptions
        for (part, value) in [
            ("user", linux?.user), ("role", linux?.role), ("type", linux?.type), ("level", linux?.level),
        ] {
            if let value { options.append("label=\(part):\(value)") }
        }
        return options
    }

    private mutating func resources(_ container: Container) -> [PodmanOption] {
        var options: [PodmanOption] = []
        let (limits, requests) = (container.resources?.limits, container.resources?.requests)
        func add(_ name: String, _ value: String?) { if let value { options.append(.whole(name, value)) } }
        add("--cpus", limits?["cpu"].flatMap(QuantityText.value).map { "\($0)" })
        add("--memory", limits?["memory"].flatMap(QuantityText.bytes).map { "\($0)b" })
        add("--memory-reservation", requests?["memory"].flatMap(QuantityText.bytes).map { "\($0)b" })
        add("--cpu-shares", requests?["cpu"].flatMap(QuantityText.value).map { "\(max(2, Int($0 * 1024)))" })
        for (name, _) in limits?.sorted ?? [] where !["cpu", "memory"].contains(name) {
            findings.warning("\(container.name): the limit of \(name) is not enforced by podman", at: nil)
        }
        return options
    }

    /// What only podman can do.
    private func addSettings(_ settings: PodmanSettings.Container, to container: inout PodmanContainer) {
        var options: [PodmanOption] = []
        func add(_ name: String, _ value: String?) { if let value { options.append(.whole(name, value)) } }
        add("--pids-limit", settings.processes.map { "\($0)" })
        add("--oom-score-adj", settings.killScore.map { "\($0)" })
        add("--cpuset-cpus", settings.processors)
        add("--memory-swap", settings.swap.map { "\($0)" })
        add("--memory-swappiness", settings.swappiness.map { "\($0)" })
        options += settings.groups.map { .element("--group-add", $0) }
        (container.limits, container.settings, container.devices) = (settings.limits, options, settings.devices)
    }

    private mutating func readiness(_ container: Container, _ context: PodContext) -> ReadinessCheck? {
        guard let probe = container.readinessProbe else { return nil }
        guard let command = probe.exec?.command else {
            findings.warning(
                "\(container.name): only checks that run a command are driven on podman; it counts as ready when it runs",
                at: nil)
            return nil
        }
        return ReadinessCheck(
            command: command, initialDelay: Double(probe.initialDelaySeconds ?? 0),
            period: Double(probe.periodSeconds ?? 10), timeout: Double(probe.timeoutSeconds ?? 1),
            failureThreshold: probe.failureThreshold ?? 3,
            startPeriod: Double(context.workload.startPeriods[container.name] ?? 0))
    }
}
