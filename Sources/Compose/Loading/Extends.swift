import OrderedCollections
import YAML

/// One step of a chain of `extends`.
struct ExtendsStep: Hashable {
    var file: String
    var service: String
}

extension DocumentLoader {
    /// Merges every service of a document over the one that it extends; the `extends` keys go.
    func applyExtends(_ node: Node, dropped: DroppedPaths, context: FileContext) -> Node {
        guard var model = node.mapping, let services = model["services"]?.mapping else { return node }
        guard services.entries.contains(where: { $0.value.mapping?["extends"] != nil }) else { return node }
        let resolver = ExtendsResolver(
            loader: self, file: context.chain.last ?? "", services: services, dropped: dropped, context: context)
        var result = services
        for (position, entry) in services.entries.enumerated() {
            result.entries[position].value = resolver.resolve(entry.key, chain: [])
        }
        model["services"] = Node(.mapping(result), mark: model["services"]?.mark ?? node.mark)
        return Node(.mapping(model), mark: node.mark)
    }

    /// The services of another file, interpolated in the extending file's scope, their paths made absolute.
    fileprivate func extendable(_ path: String, at mark: Mark, context: FileContext) -> ExtendsResolver? {
        let key = "\(context.scopeName)\u{0}\(path)"
        if let resolver = extendable[key] { return resolver }
        guard let documents = documents(path, at: mark) else { return nil }
        var model = Node(.mapping(Mapping()), mark: Mark(file: path))
        var dropped = DroppedPaths()
        for document in documents {
            guard let prepared = prepare(document, scope: context.scope) else { continue }
            model = state.merge(prepared.dropped.drop(from: model), prepared.node, Shapes.file, path: "")
            dropped = prepared.dropped
        }
        let resolved = state.resolvePaths(in: model, directory: parentDirectory(path))
        let resolver = ExtendsResolver(
            loader: self, file: path, services: resolved.mapping?["services"]?.mapping ?? Mapping(), dropped: dropped,
            context: context)
        extendable[key] = resolver
        return resolver
    }
}

/// Resolves the `extends` of the services of one file, each once.
final class ExtendsResolver {
    private static let chainLimit = 64

    // The loader keeps its resolvers, and outlives every one of them.
    private unowned let loader: DocumentLoader
    private let file: String
    private let services: Mapping
    private let index: MappingIndex
    private let dropped: DroppedPaths
    private let context: FileContext
    private var resolved: [String: Node] = [:]

    init(loader: DocumentLoader, file: String, services: Mapping, dropped: DroppedPaths, context: FileContext) {
        self.loader = loader
        self.file = file
        self.services = services
        self.index = MappingIndex(services)
        self.dropped = dropped
        self.context = context
    }

    private var state: LoadState { loader.state }

    func has(_ name: String) -> Bool { index.position(of: name, in: services) != nil }

    func resolve(_ name: String, chain: [ExtendsStep]) -> Node {
        if let node = resolved[name] { return node }
        guard let position = index.position(of: name, in: services) else { return .plain("") }
        let entry = services.entries[position]
        let node = resolve(entry, chain: chain)
        resolved[name] = node
        return node
    }

    private func resolve(_ entry: Mapping.Entry, chain: [ExtendsStep]) -> Node {
        guard var own = entry.value.mapping, let extends = own["extends"] else { return entry.value }
        own["extends"] = nil
        let service = Node(.mapping(own), mark: entry.value.mark)
        if extends.isNull { return service }
        let step = ExtendsStep(file: file, service: entry.key)
        guard !chain.contains(step), chain.count < Self.chainLimit else {
            let names = (chain + [step]).map { "\($0.service) in \($0.file)" }.joined(separator: " extends ")
            state.error("the services extend each other: \(names)", at: extends.mark, hint: "remove one `extends`")
            return service
        }
        guard let base = base(of: entry.key, extends: extends, chain: chain + [step]) else { return service }
        let kept = dropped.drop(fromService: entry.key, base)
        let merged = state.merge(kept, service, Shapes.service, path: "services.\(entry.key)")
        return isWithinLimit(merged, at: extends.mark) ? merged : service
    }

    /// A small file may extend a large service many times over.
    private func isWithinLimit(_ service: Node, at mark: Mark) -> Bool {
        let limit = YAMLLimits.standard.nodes
        guard state.extendedNodes <= limit else { return false }
        state.extendedNodes += service.count
        if state.extendedNodes <= limit { return true }
        state.error(
            "the services that extend others hold more than \(limit) values", at: mark,
            hint: "extend fewer services, or smaller ones")
        return false
    }

    private func base(of name: String, extends: Node, chain: [ExtendsStep]) -> Node? {
        var fields = Fields(extends, path: "services.\(name).extends", state: state)
        let target = fields.string("service")
        let path = fields.string("file")
        fields.finish()
        guard let target else {
            state.error("`services.\(name).extends` names no service", at: extends.mark, hint: "write `service:`")
            return nil
        }
        guard let resolver = resolver(path, name: name, at: extends.mark) else { return nil }
        guard resolver.has(target) else {
            let near = nearest(target, in: resolver.services.entries.map(\.key))
            state.error(
                "the service \(name) extends \(target), which \(resolver.file) does not have", at: extends.mark,
                hint: near.map { "did you mean \($0)?" } ?? "define it, or correct the name")
            return nil
        }
        let base = resolver.resolve(target, chain: chain)
        return base.mapping == nil ? nil : base
    }

    private func resolver(_ path: String?, name: String, at mark: Mark) -> ExtendsResolver? {
        guard let path else { return self }
        guard !path.contains("://"), !path.hasPrefix("git@") else {
            state.error(
                "`services.\(name).extends`: files of another host are not fetched", at: mark,
                hint: "fetch it, and extend the local file")
            return nil
        }
        let target = absolutePath(state.expandedHome(path, at: mark), in: context.directory)
        let role = ReferencedPath.Role.extends
        state.referencedPaths.append(
            ReferencedPath(path: target, written: path, role: role, mark: mark, service: name))
        return loader.extendable(target, at: mark, context: context)
    }
}

extension Node {
    /// How many values it holds, itself included.
    fileprivate var count: Int {
        if let mapping { return mapping.entries.reduce(1) { $0 + $1.value.count } }
        return (sequence ?? []).reduce(1) { $0 + $1.count }
    }
}
