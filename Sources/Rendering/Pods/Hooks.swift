import Compose
import KubernetesObjects
import OrderedCollections
import YAML

/// Renders a service's post_start, pre_stop and stop_signal.
struct LifecycleStep: PodStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    var reports = ReportCollector()

    mutating func run() -> Lifecycle? {
        var lifecycle = Lifecycle()
        if let command = hookCommand(workload.service.postStart, key: "post_start") {
            lifecycle.postStart = LifecycleHandler(command: command)
        }
        var stop = hookCommand(workload.service.preStop, key: "pre_stop")
        if let signal = signal(), signal != "TERM" {
            if !can(.stopSignals), sharesProcesses() {
                report(
                    workload, "stop_signal",
                    "process 1 is not the service's in a shared process namespace: SIGTERM is sent"
                )
            } else if can(.stopSignals) {
                lifecycle.stopSignal = "SIG\(signal)"
            } else {
                stop = preStop(signal: signal, after: stop)
            }
        }
        lifecycle.preStop = stop.map { LifecycleHandler(command: $0) }
        return lifecycle == Lifecycle() ? nil : lifecycle
    }

    /// Whether process 1 of the container is somebody else's: the node's or the pod's pause process.
    private func sharesProcesses() -> Bool {
        guard let group = groupOfWorkload[workload.index] else { return false }
        return groups[group].workloads.contains { index in
            let service = workloads[index].service
            return service.initProcess == true || service.pid == "host" || service.pid?.hasPrefix("service:") == true
        }
    }

    /// The name of the stop signal without `SIG`, or its number.
    private mutating func signal() -> String? {
        guard let written = workload.service.stopSignal else { return nil }
        let name = written.uppercased()
        let bare = name.hasPrefix("SIG") ? String(name.dropFirst(3)) : name
        guard !bare.isEmpty,
            bare.utf8.allSatisfy({ ($0 >= 65 && $0 <= 90) || ($0 >= 48 && $0 <= 57) || $0 == 43 || $0 == 45 })
        else {
            refuse(workload, "stop_signal", "\(written) is not a signal", hint: "write a name such as SIGQUIT")
            return nil
        }
        return bare == "15" ? "TERM" : bare
    }

    /// Sends the signal to process 1 and waits for its end, since Kubernetes sends SIGTERM as soon as the hook is over.
    private func preStop(signal: String, after hook: [String]?) -> [String] {
        let before = hook.map { "\(shellLine($0)); " } ?? ""
        return ["/bin/sh", "-c", "\(before)kill -s \(signal) 1; while kill -0 1 2>/dev/null; do sleep 1; done"]
    }

    /// One hook as it stands, several one after the other in a shell; Kubernetes has one handler for each event.
    private mutating func hookCommand(_ hooks: [Hook], key: String) -> [String]? {
        var commands: [[String]] = []
        for hook in hooks {
            guard let command = hookWords(hook, key: key) else { continue }
            commands.append(command)
        }
        guard commands.count > 1 else { return commands.first }
        return ["/bin/sh", "-c", commands.map(shellLine).joined(separator: " && ")]
    }

    private mutating func hookWords(_ hook: Hook, key: String) -> [String]? {
        if hook.user != nil {
            report(workload, "\(key).[].user", at: hook.mark, "the hook runs as the container's user")
        }
        if hook.privileged == true {
            report(workload, "\(key).[].privileged", at: hook.mark, "the hook runs with the container's privileges")
        }
        let environment = hook.environment.filter { !$0.value.text.isSecret }
        let words = (hook.command ?? [])
        guard !words.contains(where: \.isSecret), environment.count == hook.environment.count else {
            refuseSecret(
                workload, key, names: words.flatMap(\.secretNames) + hook.environment.values.flatMap(\.text.secretNames)
            )
            return nil
        }
        var command = words.map(\.masked)
        guard !command.isEmpty else { return nil }
        if !environment.isEmpty {
            command = ["env"] + environment.map { "\($0.key)=\($0.value.text.masked)" } + command
        }
        if let directory = hook.workingDir {
            command = ["/bin/sh", "-c", "cd \(shellWord(directory)) && exec \(shellLine(command))"]
        }
        return command
    }

    private func shellLine(_ words: [String]) -> String { words.map(shellWord).joined(separator: " ") }

    /// A word that a shell reads back as it was.
    private func shellWord(_ word: String) -> String {
        let isPlain =
            !word.isEmpty
            && word.utf8.allSatisfy {
                ($0 >= 97 && $0 <= 122) || ($0 >= 65 && $0 <= 90) || ($0 >= 45 && $0 <= 58) || $0 == 95 || $0 == 61
            }
        return isPlain
            ? word : "'" + word.replacing(scalar: "'", with: "'\\''") + "'"
    }
}

/// Adds a service's pre_start hooks: init containers with its image, environment and mounts.
struct PreStartStep: DraftingStep {
    let inputs: PodInputs
    let workload: ServiceWorkload
    /// The service's own.
    let container: Container
    var pod = PodDraft()
    var reports = ReportCollector()

    mutating func run() {
        for (index, hook) in workload.service.preStart.enumerated() {
            let written = (hook.command ?? []) + hook.environment.map(\.value.text)
            guard let command = hook.command, !written.contains(where: \.isSecret) else {
                refuseSecret(workload, "pre_start", names: written.flatMap(\.secretNames))
                continue
            }
            var step = Container(
                name: Names.label("\(workload.name)-pre-start-\(index + 1)"), image: hook.image ?? container.image)
            step.imagePullPolicy = container.imagePullPolicy
            step.command = command.map { escapingReferences($0.masked) }
            step.workingDir = hook.workingDir ?? container.workingDir
            step.env =
                (container.env ?? [])
                + hook.environment.map {
                    EnvVar(name: $0.key, value: escapingReferences($0.value.text.masked))
                }
            step.envFrom = container.envFrom
            step.volumeMounts = container.volumeMounts
            step.securityContext = container.securityContext
            if hook.user != nil { report(workload, "pre_start", at: hook.mark, "the step runs as the service's user") }
            pod.spec.initContainers = (pod.spec.initContainers ?? []) + [step]
        }
    }
}
