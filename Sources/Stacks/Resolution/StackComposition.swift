import Compose
import OrderedCollections
package import Specs
package import YAML

extension StackResolver {
    /// The stack with all that the stacks of its `stacks` bring; what two of them call by one name is a problem.
    func composed(_ stack: ResolvedStack, within chain: [String]) throws -> ResolvedStack {
        var composition = StackComposition(stack)
        for entry in stack.file.stacks {
            do {
                let listed = try part(entry.value, of: stack)
                guard !chain.contains(listed.directory), listed.directory != stack.directory else {
                    composition.fail("the stack '\(entry.value)' contains itself", at: entry.mark, hint: "take it out")
                    continue
                }
                composition.add(try resolved(listed, within: chain + [stack.directory]), at: entry.mark)
            } catch let error as StackError {
                composition.fail("stacks: \(error.description)", at: entry.mark, hint: nil)
            }
        }
        return composition.stack
    }

    /// A stack beside this one, else a path seen from it, else any that can be named.
    private func part(_ name: String, of stack: ResolvedStack) throws -> ListedStack {
        let beside = "\(stack.root)/stacks/\(name)"
        if isName(name), tree.kind(beside + "/stack.yml") == .file {
            return ListedStack(name: name, directory: beside, source: stack.source)
        }
        let path = absolutePath(name, in: stack.directory)
        if name.contains("/"), tree.kind(path + "/stack.yml") == .file { return external(path) }
        return try find(name)
    }
}

/// One stack made of several.
private struct StackComposition {
    var stack: ResolvedStack

    init(_ stack: ResolvedStack) {
        self.stack = stack
    }

    mutating func add(_ part: ResolvedStack, at mark: Mark) {
        if !stack.parts.contains(part.name) { stack.parts += part.parts + [part.name] }
        stack.problems += part.problems
        for root in [part.root] + part.partRoots where !stack.allRoots.contains(root) { stack.partRoots.append(root) }
        addPods(of: part, at: mark)
        addJobs(of: part, at: mark)
        addContainers(of: part, at: mark)
        addExchange(of: part)
        stack.file.repositories += part.file.repositories.filter { !stack.file.repositories.contains($0) }
        for hook in part.partHooks + part.hooks.map({ PartHook(stack: part.name, occasion: $0.key, path: $0.value) })
        where !stack.partHooks.contains(hook) {
            stack.partHooks.append(hook)
        }
    }

    private mutating func addPods(of part: ResolvedStack, at mark: Mark) {
        for var pod in part.pods {
            if let known = stack.pods.first(where: { $0.name == pod.name }) {
                // One file in two stacks is one pod.
                if known.composeFile != pod.composeFile || pod.composeFile == nil {
                    collide("pod", pod.name, part.name, pod.mark, known.mark)
                }
                continue
            }
            pod.part = pod.part ?? part.name
            stack.pods.append(pod)
            stack.file.pods += part.file.pods.filter { $0.name == pod.name }
        }
    }

    private mutating func addJobs(of part: ResolvedStack, at mark: Mark) {
        for job in part.jobs {
            if let known = stack.jobs.first(where: { $0.name == job.name }) {
                if known.composeFile != job.composeFile { collide("job", job.name, part.name, job.mark, known.mark) }
                continue
            }
            stack.jobs.append(job)
            stack.file.jobs.append(Located(job.name, at: job.mark))
        }
    }

    private mutating func addContainers(of part: ResolvedStack, at mark: Mark) {
        for container in part.containers {
            if let known = stack.containers.first(where: { $0.image == container.image }) {
                if known.directory != container.directory {
                    collide("image", container.image, part.name, container.mark, known.mark)
                }
                continue
            }
            stack.containers.append(container)
            stack.file.containers.append(Located(container.image, at: container.mark))
        }
    }

    private mutating func addExchange(of part: ResolvedStack) {
        for (service, variables) in part.file.config {
            for (variable, source) in variables {
                if let known = stack.file.config[service]?[variable], known.value != source.value {
                    collide("exported value", "\(service).\(variable)", part.name, source.mark, known.mark)
                }
                stack.file.config[service, default: [:]][variable] = source
            }
        }
    }

    private mutating func collide(_ kind: String, _ name: String, _ part: String, _ mark: Mark, _ other: Mark) {
        fail(
            "the \(kind) '\(name)' of the stack '\(part)' is another one than that at \(other)", at: mark,
            hint: "rename one of them")
    }

    mutating func fail(_ what: String, at mark: Mark, hint: String?) {
        stack.problems.append(Diagnostic(.error, at: mark, what, hint: hint))
    }
}

extension StackFile {
    /// The stack.yml of a deployment of several stacks: one that names all their pods and jobs itself.
    ///
    /// - Parameter parts: the stacks' names, under which the deployment keeps their hooks.
    package func flattened(parts: [String]) -> Node {
        var pairs: [(String, Node)] = []
        for (key, value) in [("version", version), ("name", name), ("description", summary)] {
            if let value { pairs.append((key, .string(value))) }
        }
        pairs.append(("repos", .list(repositories.map { .string($0.value.description) })))
        pairs.append(("containers", .list(containers.map { .string($0.value) })))
        pairs.append(("pods", .list(pods.map(\.node))))
        pairs.append(("jobs", .list(jobs.map { .string($0.value) })))
        let exchange = config.map { service, variables in
            (
                service,
                Node.map(variables.map { ($0.key, .string("\($0.value.value.service).\($0.value.value.variable)")) })
            )
        }
        pairs.append(("config", .map(exchange)))
        pairs.append((Self.partsKey, .list(parts.map { .string($0) })))
        for (key, value) in extensions where key != Self.partsKey { pairs.append((key, value)) }
        return .map(pairs.filter { $0.1.sequence?.isEmpty != true && $0.1.mapping?.entries.isEmpty != true })
    }

    static let partsKey = "x-so-stacks"
}

extension StackFile.Pod {
    fileprivate var node: Node {
        var pairs: [(String, Node)] = [("name", .string(name))]
        let texts = [
            ("repository", repository), ("path", path), ("pre_start_command", preStartCommand),
            ("post_start_command", postStartCommand),
        ]
        for (key, value) in texts { if let value { pairs.append((key, .string(value))) } }
        if colocate { pairs.append(("colocate", .plain("true"))) }
        return pairs.count == 1 ? .string(name) : .map(pairs)
    }
}
