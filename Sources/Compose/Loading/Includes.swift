import OrderedCollections
import YAML

/// One entry of `include`, in long form.
private struct Inclusion {
    var paths: [(path: String, mark: Mark)] = []
    var projectDirectory: String?
    /// nil: the `.env` of the project directory, if there is one.
    var envFiles: [(path: String, mark: Mark)]?
    var mark: Mark
}

extension DocumentLoader {
    /// How many files may be loaded for includes and extends in one project.
    static let nestedLimit = 2_000
    /// How many includes may lead to a file.
    private static let chainLimit = 100

    /// Loads what a document includes and lays the document's own definitions over it; its `include` key goes.
    func applyIncludes(_ node: Node, dropped: DroppedPaths, context: FileContext) -> Node {
        guard var mapping = node.mapping, let include = mapping["include"] else { return node }
        mapping["include"] = nil
        var result = Node(.mapping(mapping), mark: node.mark)
        if include.isNull { return result }
        guard let items = include.sequence else {
            state.error("`include` must be a list", at: include.mark, hint: "write `include: [path]`")
            return result
        }
        var origins: [String: Mark] = [:]
        for item in items {
            guard let inclusion = inclusion(item, context: context),
                let (model, scope, directory) = load(inclusion, context: context)
            else { continue }
            result = add(
                model, to: result, scope: scope, directory: directory, dropped: dropped, mark: inclusion.mark,
                origins: &origins)
        }
        return result
    }

    private func inclusion(_ item: Node, context: FileContext) -> Inclusion? {
        var result = Inclusion(mark: item.mark)
        if item.scalar != nil {
            result.paths = paths(item, key: "include", directory: context.directory)
        } else {
            var fields = Fields(item, path: "include", state: state)
            result.paths =
                fields.node("path").map { paths($0, key: "include.path", directory: context.directory) } ?? []
            result.projectDirectory = fields.string("project_directory").map {
                absolutePath(state.expandedHome($0, at: item.mark), in: context.directory)
            }
            result.envFiles = fields.node("env_file").map {
                paths($0, key: "include.env_file", directory: context.directory)
            }
            fields.finish()
        }
        guard !result.paths.isEmpty else {
            state.error("an entry of `include` names no file", at: item.mark, hint: "write its path")
            return nil
        }
        return result
    }

    private func paths(_ node: Node, key: String, directory: String) -> [(path: String, mark: Mark)] {
        (node.sequence ?? [node]).compactMap { item in
            guard case .string(let text)? = item.value, !text.isEmpty else {
                state.error("`\(key)` must be a path or a list of paths", at: item.mark, hint: "write a path")
                return nil
            }
            if state.refusesSecret(text, in: "`\(key)`", at: item.mark) { return nil }
            guard !text.contains("://"), !text.hasPrefix("git@") else {
                state.error(
                    "`\(key)`: files of another host are not fetched: `\(text)`", at: item.mark,
                    hint: "fetch it, and include the local file")
                return nil
            }
            state.writtenPaths[item.mark] = text
            return (absolutePath(state.expandedHome(text, at: item.mark), in: directory), item.mark)
        }
    }

    private func load(_ inclusion: Inclusion, context: FileContext) -> (
        model: Node, scope: VariableScope, directory: String
    )? {
        guard let main = inclusion.paths.first else { return nil }
        for (path, mark) in inclusion.paths {
            guard !context.chain.contains(path) else {
                let chain = (context.chain + [path]).joined(separator: " includes ")
                state.error("the files include each other: \(chain)", at: mark, hint: "remove one of the includes")
                return nil
            }
            note(path, role: .include, mark: mark)
        }
        guard context.chain.count <= Self.chainLimit else {
            state.error(
                "includes nest more than \(Self.chainLimit) deep", at: inclusion.mark,
                hint: "include the files side by side")
            return nil
        }
        state.nestedLoads += 1
        guard state.nestedLoads <= Self.nestedLimit else {
            state.error(
                "more than \(Self.nestedLimit) files are included", at: inclusion.mark, hint: "include fewer files")
            return nil
        }
        let directory = inclusion.projectDirectory ?? parentDirectory(main.path)
        let scope = self.scope(of: inclusion, directory: directory, context: context)
        let inner = FileContext(
            directory: directory, scope: scope, scopeName: "\(context.scopeName)|\(directory)|\(inclusion.mark)",
            chain: context.chain)
        let model = load(files: inclusion.paths.map(\.path), at: inclusion.mark, context: inner)
        return (state.resolvePaths(in: model, directory: directory, fillsContext: true), scope, directory)
    }

    private func scope(of inclusion: Inclusion, directory: String, context: FileContext) -> VariableScope {
        var files: [String] = []
        var written: [String: String] = [:]
        if let named = inclusion.envFiles {
            for (path, mark) in named where path != "/dev/null" {
                if state.tree.hasFile(path) {
                    files.append(path)
                    written[path] = state.writtenPaths[mark]
                } else {
                    state.error("the env_file \(path) is not there", at: mark, hint: "create it, or correct the path")
                }
            }
        } else if state.tree.hasFile(directory + "/.env") {
            files = [normalizedPath(directory + "/.env")]
            written = [files[0]: ".env"]
        }
        guard !files.isEmpty else { return context.scope }
        return context.scope.filling(from: state.variables(ofFiles: files, written: written, under: context.scope))
    }

    private func note(_ path: String, role: ReferencedPath.Role, mark: Mark) {
        let written = state.writtenPaths[mark] ?? path
        state.referencedPaths.append(ReferencedPath(path: path, written: written, role: role, mark: mark))
    }

    /// Adds what an include brought; what the including file defines of the same name is merged over it.
    private func add(
        _ model: Node, to target: Node, scope: VariableScope, directory: String, dropped: DroppedPaths, mark: Mark,
        origins: inout [String: Mark]
    ) -> Node {
        guard let imported = model.mapping, var result = target.mapping else { return target }
        for section in Shapes.sections {
            guard let entries = imported[section]?.mapping?.entries else { continue }
            var known = result[section]?.mapping ?? Mapping()
            let index = MappingIndex(known)
            for entry in entries {
                scopes.register(scope, directory: directory, section: section, name: entry.key)
                let key = "\(section).\(entry.key)"
                guard let place = index.position(of: entry.key, in: known) else {
                    known.entries.append(entry)
                    origins[key] = entry.keyMark
                    continue
                }
                let isSame = entry.value.means(known.entries[place].value)
                if let origin = origins[key], origin != entry.keyMark, !isSame {
                    state.warning(
                        "`\(key)` comes from two includes, also \(origin); they are merged, and the first one wins",
                        at: entry.keyMark, hint: "rename one of them")
                }
                origins[key] = origins[key] ?? entry.keyMark
                guard let base = dropped.drop(from: section, entry.key, entry.value) else { continue }
                known.entries[place].value = state.merge(
                    base, known.entries[place].value, Shapes.section(section), path: key)
            }
            result[section] = Node(.mapping(known), mark: result[section]?.mark ?? mark)
        }
        return Node(.mapping(result), mark: target.mark)
    }
}
