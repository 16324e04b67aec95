import OrderedCollections
package import YAML

/// Reads a stack.yml and checks all of it.
///
/// - Parameter keepsFaulty: whether a file with errors is returned with what could be read of it, to find the faults of what it names.
/// - Returns: the stack file, or nil if the diagnostics received an error.
package func parseStackFile(
    _ bytes: [UInt8], file: String, keepsFaulty: Bool = false, diagnostics: inout Diagnostics
) -> StackFile? {
    do {
        let node = try loadYAMLDocument(bytes, file: file)
        var validation = Validation(diagnostics: Diagnostics())
        validation.check(node.isNull ? emptyMap(node) : node, .stack, at: "")
        var stack = StackFile(file: file)
        stack.keys = validation.keys
        stack.read(node)
        stack.checkNames(&validation.diagnostics)
        diagnostics.append(contentsOf: validation.diagnostics.list)
        return validation.diagnostics.hasErrors && !keepsFaulty ? nil : stack
    } catch {
        diagnostics.append(contentsOf: error.diagnostics)
        return nil
    }
}

extension StackFile {
    fileprivate mutating func read(_ node: Node) {
        version = node.text("version")
        name = node.text("name")
        summary = node.text("description")
        repositories = node.texts("repos").compactMap { text in
            RepositoryLocator(text.value).map { Located($0, at: text.mark) }
        }
        containers = node.texts("containers")
        npms = node.texts("npms")
        pods = node.items("pods").compactMap(Pod.init)
        jobs = node.items("jobs").compactMap { item in
            (item.text ?? item.text("name")).map { Located($0, at: item.mark) }
        }
        for target in node.entries("config") {
            for variable in target.value.mapping?.entries ?? [] {
                guard let source = variable.value.text.flatMap({ ConfigSource($0) }) else { continue }
                config[target.key, default: [:]][variable.key] = Located(source, at: variable.value.mark)
            }
        }
        stacks = node.texts("stacks")
        extensions = node.extensionKeys
    }

    fileprivate func checkNames(_ diagnostics: inout Diagnostics) {
        let kinds = [
            ("pods", pods.map { Located($0.name, at: $0.mark) }), ("jobs", jobs), ("containers", containers),
            ("stacks", stacks),
        ]
        for (kind, names) in kinds {
            var seen: [String: Mark] = [:]
            for name in names {
                if let earlier = seen[name.value] {
                    diagnostics.error(
                        "\(kind): '\(name.value)' is listed twice", at: name.mark,
                        hint: "the other one is at \(earlier)")
                }
                seen[name.value] = name.mark
            }
        }
        for pod in pods
        where pod.repository == nil && (pod.path != nil || pod.preStartCommand != nil || pod.postStartCommand != nil) {
            diagnostics.error(
                "pods: '\(pod.name)' has a path or commands, and no repository", at: pod.mark, hint: "add 'repository:'"
            )
        }
    }
}

extension StackFile.Pod {
    fileprivate init?(_ node: Node) {
        guard let name = node.text ?? node.text("name") else { return nil }
        self.init(name: name, mark: node.mark)
        repository = node.text("repository")
        path = node.text("path")
        preStartCommand = node.text("pre_start_command")
        postStartCommand = node.text("post_start_command")
        colocate = node.bool("colocate") ?? false
    }
}
