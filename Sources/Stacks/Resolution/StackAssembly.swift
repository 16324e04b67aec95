import Compose
import OrderedCollections
package import Specs
import YAML

/// Looks up everything that a stack.yml names, external files first, then built-in ones.
struct StackAssembly {
    var stack: ResolvedStack
    let tree: FileTree
    /// nil in a deployment directory, where every compose file is a copy under compose/.
    let repositories: PodRepositories?

    mutating func assemble() {
        for pod in stack.file.pods { addPod(pod) }
        for job in stack.file.jobs {
            let file = composeFile("compose-jobs", job.value, "the job", job.mark)
            stack.jobs.append(ResolvedJob(name: job.value, composeFile: file, mark: job.mark))
        }
        for container in stack.file.containers { addContainer(container) }
        addHooks()
        for extra in stack.file.npms.prefix(1) where stack.source != .deployment {
            warn("npms are not built by so: a container's build has to", at: extra.mark)
        }
    }

    private mutating func addPod(_ pod: StackFile.Pod) {
        var resolved = ResolvedPod(name: pod.name, composeFile: nil, colocate: pod.colocate, mark: pod.mark)
        resolved.configDirectory = lookUp("config/\(pod.name)", .directory)
        if let repository = pod.repository, let repositories {
            addRepositoryPod(pod, repository, repositories, &resolved)
        } else {
            resolved.composeFile = mirroredFile(pod) ?? composeFile("compose", pod.name, "the pod", pod.mark)
            resolved.preStartCommand = script(pod.preStartCommand, pod)
            resolved.postStartCommand = script(pod.postStartCommand, pod)
        }
        stack.pods.append(resolved)
    }

    /// In a deployment directory, the compose file of a pod from a repository stands where it stood there, so that what it names by relative
    /// paths does not meet what other pods name so.
    private func mirroredFile(_ pod: StackFile.Pod) -> String? {
        guard pod.repository != nil, stack.source == .deployment else { return nil }
        let path = "\(stack.root)/\(pod.mirroredFile)"
        return tree.kind(path) == .file && tree.isInside(stack.root, path) ? path : nil
    }

    /// In a deployment directory the scripts are copies under pods/<pod>/scripts/.
    private mutating func script(_ path: String?, _ pod: StackFile.Pod) -> String? {
        guard let path else { return nil }
        return confirm("\(stack.root)/pods/\(pod.name)/scripts/\(path)", in: stack.root, "the script of pod", pod)
    }

    private mutating func addRepositoryPod(
        _ pod: StackFile.Pod, _ repository: String, _ repositories: PodRepositories, _ resolved: inout ResolvedPod
    ) {
        switch repositories.find(repository, in: stack.file) {
        case .missing(let path):
            fail(
                "pod '\(pod.name)': its repository \(repository) is not there: \(path) does not exist", at: pod.mark,
                hint:
                    "clone it with `so setup-repositories --stack \(stack.source == .external ? stack.directory : stack.name)`"
            )
        case .ambiguous(let paths):
            fail(
                "pod '\(pod.name)': several clones are called \(repository): \(paths.joined(separator: ", "))",
                at: pod.mark, hint: "write it as org/repo, and list it under 'repos'")
        case .found(let clone):
            let directory = normalizedPath(clone + "/" + (pod.path ?? "."))
            let names = ["docker-compose.yml", "docker-compose.yaml", "compose.yaml", "compose.yml"]
            let file = names.map { "\(directory)/\($0)" }.first { tree.kind($0) == .file }
            resolved.repositoryDirectory = clone
            addHooks(ofPod: pod, in: directory, clone)
            resolved.composeFile = confirm(
                file ?? "\(directory)/docker-compose.yml", in: clone, "the compose file of pod", pod)
            resolved.preStartCommand = pod.preStartCommand.flatMap {
                confirm("\(directory)/\($0)", in: clone, "the script of pod", pod)
            }
            resolved.postStartCommand = pod.postStartCommand.flatMap {
                confirm("\(directory)/\($0)", in: clone, "the script of pod", pod)
            }
        }
    }

    /// A pod's repository may bring hooks of its own, in stack/hooks beside its compose file.
    private mutating func addHooks(ofPod pod: StackFile.Pod, in directory: String, _ clone: String) {
        for occasion in StackHook.allCases where occasion != .initialize {
            let path = "\(directory)/stack/hooks/\(occasion.rawValue)"
            guard tree.kind(path) == .file, tree.isInside(clone, path) else { continue }
            guard let mode = tree.mode(path), mode & 0o111 != 0 else {
                fail("the hook \(path) is not executable", at: pod.mark, hint: "chmod +x \(path)")
                continue
            }
            stack.partHooks.append(PartHook(stack: pod.name, occasion: occasion, path: path))
        }
        let python = "\(directory)/stack/deploy/commands.py"
        guard tree.kind(python) == .file, isUsable(python: python, in: clone) else { return }
        for occasion in StackHook.allCases where occasion != .stop && occasion != .initialize {
            guard !stack.partHooks.contains(where: { $0.stack == pod.name && $0.occasion == occasion }) else {
                continue
            }
            stack.partHooks.append(PartHook(stack: pod.name, occasion: occasion, path: python))
        }
    }

    /// The path of a file that must be there and inside its root.
    private mutating func confirm(_ path: String, in root: String, _ what: String, _ pod: StackFile.Pod) -> String? {
        guard tree.kind(path) == .file else {
            fail(
                "\(what) '\(pod.name)' does not exist: \(path)", at: pod.mark, hint: "correct the name, or add the file"
            )
            return nil
        }
        guard tree.isInside(root, path) else {
            fail(
                "\(what) '\(pod.name)' points outside \(root): \(path)", at: pod.mark,
                hint: "replace the symbolic link by the file")
            return nil
        }
        return path
    }

    private mutating func composeFile(_ directory: String, _ name: String, _ what: String, _ mark: Mark) -> String? {
        let stem = "\(directory)/docker-compose-\(name)"
        if let path = lookUp(stem + ".yml", .file) ?? lookUp(stem + ".yaml", .file) { return path }
        let denials = searchedRoots.compactMap { [tree] root in tree.denial("\(root)/\(stem).yml") }
        if let denial = denials.first {
            stack.problems.append(Diagnostic(denial, at: mark))
            return nil
        }
        let similar = nearest(name, in: composeNames(directory))
        let searched = searchedRoots.map { "\($0)/\(stem).yml" }.joined(separator: ", ")
        fail(
            "\(what) '\(name)' has no compose file: \(searched) \(searchedRoots.count > 1 ? "do" : "does") not exist",
            at: mark, hint: similar.map { "did you mean '\($0)'?" } ?? "add the file, or correct the name")
        return nil
    }

    private var searchedRoots: [String] { [stack.root] + (stack.fallbackRoot.map { [$0] } ?? []) }

    private func composeNames(_ directory: String) -> [String] {
        let prefix = "docker-compose-"
        return searchedRoots.flatMap { (try? tree.list("\($0)/\(directory)")) ?? [] }.compactMap { name in
            guard name.hasPrefix(prefix), let dot = name.lastIndex(of: ".") else { return nil }
            return String(name[..<dot].dropFirst(prefix.count))
        }
    }

    /// A path below the stack's own root, else below the built-in one; what leads out of its root is refused.
    private mutating func lookUp(_ relative: String, _ kind: FileTree.Kind) -> String? {
        for root in searchedRoots {
            let path = "\(root)/\(relative)"
            guard tree.kind(path) == kind else { continue }
            if tree.isInside(root, path) { return path }
            fail("\(path) points outside \(root)", at: nil, hint: "replace the symbolic link by what it points to")
        }
        return nil
    }

    private mutating func addContainer(_ image: Located<String>) {
        let name = String(image.value.map { $0 == "/" ? "-" : $0 })
        var build = ContainerBuild(image: image.value, mark: image.mark)
        if let directory = lookUp("container-build/\(name)", .directory) {
            build.directory = directory
            build.recipe = recipe(directory)
        }
        stack.containers.append(build)
    }

    private func recipe(_ directory: String) -> ContainerBuild.Recipe? {
        if tree.kind(directory + "/build.sh") == .file { return .script(directory + "/build.sh") }
        let file = ["Containerfile", "Dockerfile"].first { tree.kind("\(directory)/\($0)") == .file }
        return file.map { .containerfile("\(directory)/\($0)") }
    }

    private mutating func addHooks() {
        let directory = stack.directory + "/hooks"
        for hook in StackHook.allCases {
            let path = "\(directory)/\(hook.rawValue)"
            guard tree.kind(path) != .none else { continue }
            guard tree.kind(path) == .file, tree.isInside(stack.root, path) else {
                fail("the hook \(path) is not a file of the stack", at: nil, hint: "put an executable file there")
                continue
            }
            guard let mode = tree.mode(path), mode & 0o111 != 0 else {
                fail("the hook \(path) is not executable", at: nil, hint: "chmod +x \(path)")
                continue
            }
            stack.hooks[hook] = path
        }
        reportStrayHooks(directory)
        addPythonHooks()
    }

    /// stack-orchestrator's hooks are one Python file; what the stack has as an executable counts before.
    private mutating func addPythonHooks() {
        let isDeployment = stack.source == .deployment
        let path = stack.directory + (isDeployment ? "/hooks/commands.py" : "/deploy/commands.py")
        guard tree.kind(path) == .file, isUsable(python: path, in: stack.root) else { return }
        for occasion in StackHook.allCases where occasion != .stop && stack.hooks[occasion] == nil {
            stack.hooks[occasion] = path
        }
    }

    private mutating func isUsable(python path: String, in root: String) -> Bool {
        guard tree.isInside(root, path) else {
            fail("\(path) points outside \(root)", at: nil, hint: "replace the symbolic link by what it points to")
            return false
        }
        if stack.source != .deployment {
            warn(
                "\(path) runs on this host, by python3: its functions are the hooks init, setup, create and start",
                at: Mark(file: path), hint: "read it before you deploy the stack")
        }
        return true
    }

    private mutating func reportStrayHooks(_ directory: String) {
        let known = StackHook.allCases.map(\.rawValue)
        for name in (try? tree.list(directory)) ?? [] where !known.contains(name) {
            // Hooks may bring helper files; a name that is nearly a hook's is a mistake.
            guard let meant = nearest(name, in: known) else { continue }
            warn(
                "\(directory)/\(name) is not a hook", at: Mark(file: "\(directory)/\(name)"),
                hint: "did you mean '\(meant)'?")
        }
    }

    private mutating func fail(_ what: String, at mark: Mark?, hint: String) {
        stack.problems.append(Diagnostic(.error, at: mark ?? Mark(file: stack.file.file), what, hint: hint))
    }

    private mutating func warn(_ what: String, at mark: Mark, hint: String? = nil) {
        stack.problems.append(Diagnostic(.warning, at: mark, what, hint: hint))
    }
}

extension StackFile.Pod {
    /// Where a deployment keeps the directory of the pod's compose file, for a pod from a repository.
    package var mirroredDirectory: String { normalizedPath("pods/\(name)/source/\(path ?? ".")") }

    package var mirroredFile: String { "\(mirroredDirectory)/docker-compose-\(name).yml" }
}
