import YAML

extension LoadState {
    /// Makes the relative paths of a canonical tree absolute; absolute ones stay, so doing it twice does no harm.
    ///
    /// - Parameter fillsContext: whether a build without a context gets the directory itself, as in an included file.
    func resolvePaths(in model: Node, directory: String, fillsContext: Bool = false) -> Node {
        edit(model) { section, node in
            switch section {
            case "services":
                edit(node) { _, service in
                    resolveService(service, directory: directory, fillsContext: fillsContext)
                }
            case "configs", "secrets":
                edit(node) { _, object in edit(object, ["file"]) { absolute($0, in: directory) } }
            case "volumes": edit(node) { _, volume in resolveDevice(volume, directory: directory) }
            default: node
            }
        }
    }

    /// Makes the paths of one service absolute.
    func resolveService(_ service: Node, directory: String, fillsContext: Bool = false) -> Node {
        edit(service) { key, node in
            switch key {
            case "build": resolveBuild(node, directory: directory, fillsContext: fillsContext)
            case "env_file": editItems(node) { edit($0, ["path"]) { absolute($0, in: directory) } }
            case "label_file": editItems(node) { absolute($0, in: directory) }
            case "extends": edit(node, ["file"]) { absolute($0, in: directory) }
            case "develop":
                edit(node, ["watch"]) { editItems($0) { edit($0, ["path"]) { absolute($0, in: directory) } } }
            case "volumes": editItems(node) { resolveMount($0, directory: directory) }
            default: node
            }
        }
    }

    private func resolveBuild(_ node: Node, directory: String, fillsContext: Bool) -> Node {
        var build = edit(node) { key, value in
            switch key {
            case "context": absoluteContext(value, in: directory)
            case "additional_contexts": edit(value) { absoluteContext($1, in: directory) }
            case "ssh": edit(value) { $1.isNull ? $1 : absolute($1, in: directory) }
            default: value
            }
        }
        if fillsContext, var mapping = build.mapping, mapping["context"] == nil {
            mapping["context"] = .string(directory, mark: node.mark)
            build.content = .mapping(mapping)
        }
        return build
    }

    private func resolveMount(_ node: Node, directory: String) -> Node {
        guard node.mapping?["type"]?.text == "bind" else { return node }
        return edit(node, ["source"]) { absolute($0, in: directory) }
    }

    private func resolveDevice(_ node: Node, directory: String) -> Node {
        guard let mapping = node.mapping, let options = mapping["driver_opts"]?.mapping,
            Volume.isBind(
                driver: mapping["driver"]?.text, type: options["type"]?.text, options: options["o"]?.text)
        else { return node }
        return edit(node, ["driver_opts"]) { edit($0, ["device"]) { absolute($0, in: directory) } }
    }

    private func absoluteContext(_ node: Node, in directory: String) -> Node {
        guard let text = node.text, !isRemoteContext(text) else { return node }
        return absolute(node, in: directory)
    }

    private func absolute(_ node: Node, in directory: String) -> Node {
        guard case .string(let text)? = node.value, !text.isEmpty, !isWindowsPath(text) else { return node }
        let path = absolutePath(expandedHome(text, at: node.mark), in: directory)
        if writtenPaths[node.mark] == nil { writtenPaths[node.mark] = text }
        return .string(path, mark: node.mark)
    }

    /// `~` and `~/…` with the home directory that the caller gave, which is said.
    func expandedHome(_ text: String, at mark: Mark) -> String {
        guard text == "~" || text.hasPrefix("~/") else { return text }
        guard let home = options.homeDirectory ?? tree.homeDirectory else {
            error("`\(text)` depends on whose home it is", at: mark, hint: "write the path out")
            return text
        }
        if !options.readsEnvironment {
            warning(
                "`\(text)` is taken from the home of whoever deploys, \(home)", at: mark, hint: "write the path out")
        }
        return home + text.dropFirst()
    }

    /// Changes the values of a mapping.
    func edit(_ node: Node, _ change: (String, Node) -> Node) -> Node {
        guard case .mapping(var mapping) = node.content else { return node }
        for index in mapping.entries.indices {
            mapping.entries[index].value = change(mapping.entries[index].key, mapping.entries[index].value)
        }
        return Node(.mapping(mapping), tag: node.tag, mark: node.mark)
    }

    private func edit(_ node: Node, _ keys: Set<String>, _ change: (Node) -> Node) -> Node {
        edit(node) { keys.contains($0) ? change($1) : $1 }
    }

    private func editItems(_ node: Node, _ change: (Node) -> Node) -> Node {
        guard let items = node.sequence else { return node }
        return Node(.sequence(items.map(change)), tag: node.tag, mark: node.mark)
    }
}

/// Whether a build context is fetched by the builder: a URL, a Git reference, another service's image.
func isRemoteContext(_ text: String) -> Bool {
    let prefixes = ["github.com/", "git@", "service:"]
    return text.contains("://") || prefixes.contains { text.hasPrefix($0) }
}
