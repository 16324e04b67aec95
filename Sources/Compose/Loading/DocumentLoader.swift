import OrderedCollections
import YAML

/// Reads compose files into one merged, canonical tree.
final class DocumentLoader {
    let state: LoadState
    let scopes: Scopes
    private var parsed: [String: [Node]] = [:]
    /// The files that others extend, by scope and path.
    var extendable: [String: ExtendsResolver] = [:]

    init(state: LoadState, scopes: Scopes, documentsOf other: DocumentLoader? = nil) {
        self.state = state
        self.scopes = scopes
        parsed = other?.parsed ?? [:]
    }

    /// The documents of a file; nil if it cannot be read or parsed, which is recorded.
    func documents(_ path: String, at mark: Mark?) -> [Node]? {
        if let documents = parsed[path] { return documents }
        guard let bytes = state.read(path, at: mark) else { return nil }
        state.files.append(path)
        do throws(InvalidInput) {
            let documents = try loadYAML(bytes, file: path)
            parsed[path] = documents
            return documents
        } catch {
            error.diagnostics.forEach(state.record)
            return nil
        }
    }

    /// The files merged in order, their includes and extends resolved.
    func load(files: [String], at mark: Mark?, context: FileContext) -> Node {
        var model = Node(.mapping(Mapping()), mark: Mark(file: files.first ?? ""))
        for file in files {
            let context = context.entering(file)
            for document in documents(file, at: mark) ?? [] {
                model = add(document, to: model, context: context)
            }
        }
        return model
    }

    /// Merges one document over what was loaded before.
    func add(_ document: Node, to model: Node, context: FileContext) -> Node {
        guard let prepared = prepare(document, scope: context.scope) else { return model }
        var own = applyIncludes(prepared.node, dropped: prepared.dropped, context: context)
        let base = prepared.dropped.drop(from: model)
        own = applyExtends(own, dropped: prepared.dropped, context: context)
        return state.merge(base, own, Shapes.file, path: "")
    }

    /// Interpolates a document, takes its tags out and brings it into canonical form; nil if it is empty or no mapping.
    func prepare(_ document: Node, scope: VariableScope) -> (node: Node, dropped: DroppedPaths)? {
        if document.isNull { return nil }
        guard document.mapping != nil else {
            state.error("a compose file must be a mapping", at: document.mark, hint: "begin with `services:`")
            return nil
        }
        var dropped = DroppedPaths()
        let interpolated = state.options.interpolates ? state.interpolate(document, scope: scope) : document
        guard let node = dropped.take(from: interpolated, state: state) else { return nil }
        warnOfVersion(node)
        return (state.canonical(node, Shapes.file, path: ""), dropped)
    }

    private func warnOfVersion(_ node: Node) {
        guard let mark = node.mapping?.keyMark("version") else { return }
        state.warning("`version` is obsolete and has no effect", at: mark, hint: "remove it")
    }
}

/// Where a file is loaded: its directory, its variables, and the files that led to it.
struct FileContext {
    var directory: String
    var scope: VariableScope
    /// Tells equal scopes apart cheaply.
    var scopeName: String
    /// The files that are being loaded, the outermost first.
    var chain: [String] = []

    func entering(_ file: String) -> FileContext {
        var context = self
        context.chain.append(file)
        return context
    }
}
