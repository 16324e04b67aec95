package import KubernetesClient
package import YAML

/// What the test server holds, and how it answers.
///
/// Simpler than the real one: nothing is defaulted and no admission runs; lists in an object are owned as a whole, but for those
/// of named items; deletion is immediate where a test does not hold it. A Deployment, DaemonSet or Job is as its controller is told
/// to make it: see ``controller``.
package actor TestAPIStore {
    struct Key: Hashable {
        var resource: String
        var namespace: String
        var name: String
    }

    struct Stored {
        var node: Node
        /// The leaves that each manager applies.
        var fields: [String: Set<String>]
    }

    struct Event {
        var version: Int
        var type: String
        var key: Key
        var node: Node
    }

    struct Reply {
        var status: Int
        var body: String
        var retryAfter: Int?
    }

    private var objects: [Key: Stored] = [:]
    private var version = 1000
    private var events: [Event] = []
    private var watchers: [Int: (request: TestAPIRequest, continuation: AsyncStream<String>.Continuation)] = [:]
    private var nextWatcher = 0
    private var holdsDeletions = false
    private var customGroups: Set<String> = []
    /// By resource: the namespaced kinds that a test defined.
    private var customKinds: [String: ResourceType] = [:]
    private var forbidden: Set<String> = []
    /// By place: why an admission takes no such object.
    private var refused: [String: String] = [:]
    private var oldestVersion = 0
    private var troubles: [Reply] = []
    /// Every request that changed something, as `PATCH deployments/web`.
    package private(set) var writes: [String] = []
    package private(set) var requests = 0
    /// Plays the controllers: the object with the status that it is given.
    private var controller: @Sendable (LiveObject) -> Node? = { TestAPIStore.ready($0) }

    package init() {
        let node = Node.map([
            ("kind", .string("Namespace")), ("apiVersion", .string("v1")),
            ("metadata", .map([("name", .string("default"))])),
        ])
        objects[Key(resource: "namespaces", namespace: "", name: "default")] = Stored(node: node, fields: [:])
    }

    // MARK: What tests do

    /// Serves a group that is not built in, as after its custom resources were defined.
    package func serve(_ group: String) { customGroups.insert(group) }

    /// Serves a custom resource, as after its definition.
    package func serve(_ type: ResourceType) {
        customGroups.insert(type.group)
        customKinds[type.resource] = type
    }

    /// Nobody may list these resources.
    package func forbid(_ resource: String) { forbidden.insert(resource) }

    /// An admission takes this object of any namespace no more.
    package func refuse(_ resource: String, _ name: String, _ reason: String) {
        refused["\(resource)/\(name)"] = reason
    }

    package func setController(_ body: @escaping @Sendable (LiveObject) -> Node?) { controller = body }

    /// The next requests that are not watches are answered so.
    package func fail(_ status: Int, times: Int = 1, reason: String = "", retryAfter: Int? = nil) {
        let body = Self.status(status, reason, "made to fail")
        troubles += Array(repeating: Reply(status: status, body: body, retryAfter: retryAfter), count: times)
    }

    /// Ends every open watch, as a network does.
    package func dropWatches() {
        for watcher in watchers.values { watcher.continuation.finish() }
        watchers = [:]
    }

    /// Forgets the past: watches from before are answered 410.
    package func forgetPast() { oldestVersion = version }

    package func object(_ resource: String, _ name: String, namespace: String = "") -> LiveObject? {
        objects[Key(resource: resource, namespace: namespace, name: name)].map { LiveObject($0.node) }
    }

    package func names(_ resource: String, namespace: String) -> [String] {
        objects.keys.filter { $0.resource == resource && $0.namespace == namespace }.map(\.name).sorted()
    }

    /// Puts an object there as a user or a controller would.
    package func put(_ resource: String, _ node: Node, by manager: String = "kubectl") {
        let object = LiveObject(node)
        let key = Key(resource: resource, namespace: object.namespace ?? "", name: object.name)
        put(key, node)
        objects[key]?.fields[manager] = Set(Leaves(node).values.keys)
    }

    /// Marks an object for deletion, as a foreground deletion does: it stays until ``finishDeletion(_:_:namespace:)``.
    package func beginDeletion(_ resource: String, _ name: String, namespace: String = "") {
        let key = Key(resource: resource, namespace: namespace, name: name)
        guard let stored = objects[key] else { return }
        put(
            key,
            stored.node.setting(["metadata", "deletionTimestamp"], .string("2026-11-22T00:00:00Z"))
                .setting(["metadata", "finalizers"], .list([.string("foregroundDeletion")])))
    }

    /// Ends a deletion; without one it is a deletion at once. With a namespace goes what it holds.
    package func finishDeletion(_ resource: String, _ name: String, namespace: String = "") {
        remove(Key(resource: resource, namespace: namespace, name: name))
        guard resource == "namespaces" else { return }
        for key in objects.keys where key.namespace == name { remove(key) }
    }

    /// From now on a deletion through the API only begins.
    package func holdDeletions(_ isHeld: Bool = true) { holdsDeletions = isHeld }

    package func forgetWrites() { writes = [] }

    /// A workload whose pods are all ready at once.
    package static func ready(_ object: LiveObject) -> Node? {
        let replicas = Node.plain("\(object.spec?["replicas"]?.intValue ?? 1)")
        let generation = Node.plain("\(object.generation)")
        switch object.kind {
        case "Deployment":
            return .map([
                ("observedGeneration", generation), ("replicas", replicas), ("updatedReplicas", replicas),
                ("readyReplicas", replicas), ("availableReplicas", replicas),
            ])
        case "DaemonSet":
            return .map([
                ("observedGeneration", generation), ("desiredNumberScheduled", .plain("1")),
                ("updatedNumberScheduled", .plain("1")), ("numberAvailable", .plain("1")),
            ])
        case "Job":
            return .map([
                ("conditions", .list([.map([("type", .string("Complete")), ("status", .string("True"))])])),
                ("succeeded", .plain("1")),
            ])
        case "PersistentVolume": return .map([("phase", .string("Available"))])
        default: return nil
        }
    }

    // MARK: Answers

    func reply(to request: TestAPIRequest) -> Reply {
        requests += 1
        guard request.authorization == "Bearer \(TestAPIServer.token)" else {
            return Reply(status: 401, body: Self.status(401, "Unauthorized", "Unauthorized"))
        }
        if !troubles.isEmpty { return troubles.removeFirst() }
        if request.path == ["readyz"] { return Reply(status: 200, body: "ok") }
        if request.method == "GET", let known = discovery(request.path) { return Reply(status: 200, body: known) }
        guard let place = TestAPIPlace(request.path), isServed(place) else {
            return Reply(status: 404, body: "404 page not found")
        }
        if request.method != "GET", request.query["dryRun"] == nil {
            writes.append("\(request.method) \(place.resource)/\(place.name ?? "")")
        }
        switch request.method {
        case "GET": return place.name == nil ? list(place, request) : get(place)
        case "PATCH" where request.contentType == "application/apply-patch+yaml": return apply(place, request)
        case "PATCH": return merge(place, request)
        case "POST": return create(place, request)
        case "PUT": return replace(place, request)
        case "DELETE" where place.name == nil: return deleteAll(place, request)
        case "DELETE": return delete(place, request)
        default: return Reply(status: 405, body: Self.status(405, "MethodNotAllowed", "not here"))
        }
    }

    private func isServed(_ place: TestAPIPlace) -> Bool {
        !place.group.contains(".") || place.group.hasSuffix(".k8s.io") || customGroups.contains(place.group)
    }

    private func get(_ place: TestAPIPlace) -> Reply {
        guard let stored = objects[place.key] else { return notFound(place) }
        return Reply(status: 200, body: stored.node.json())
    }

    /// The kinds that `so` knows, some that it does not, and the custom ones.
    private func discovery(_ path: [String]) -> String? {
        let others = [
            ResourceType(group: "apps", version: "v1", kind: "StatefulSet", resource: "statefulsets"),
            ResourceType(group: "", version: "v1", kind: "Endpoints", resource: "endpoints"),
            ResourceType(group: "rbac.authorization.k8s.io", version: "v1", kind: "Role", resource: "roles"),
            .leases,
        ]
        let known = ResourceType.known.filter { isServed(TestAPIPlace(group: $0.group, resource: $0.resource)) }
        let types = known + others + customKinds.values
        if path == ["apis"] {
            let groups = Set(types.map(\.group)).subtracting([""]).sorted().map { group in
                let version = Node.map([("version", .string(types.first { $0.group == group }?.version ?? ""))])
                return Node.map([
                    ("name", .string(group)), ("versions", .list([version])), ("preferredVersion", version),
                ])
            }
            return Node.map([("kind", .string("APIGroupList")), ("groups", .list(groups))]).json()
        }
        guard path.count == (path.first == "api" ? 2 : 3), ["api", "apis"].contains(path.first) else { return nil }
        let group = path.first == "api" ? "" : path[1]
        let served = types.filter { $0.group == group && $0.version == path.last }
        guard !served.isEmpty else { return nil }
        let resources = served.flatMap { type in
            [type.resource, "\(type.resource)/status"].map { name in
                Node.map([
                    ("name", .string(name)), ("kind", .string(type.kind)),
                    ("namespaced", .plain("\(type.isNamespaced)")),
                    ("verbs", .list([.string("get"), .string("list")])),
                ])
            }
        }
        return Node.map([("kind", .string("APIResourceList")), ("resources", .list(resources))]).json()
    }

    private func list(_ place: TestAPIPlace, _ request: TestAPIRequest) -> Reply {
        if forbidden.contains(place.resource) {
            let message = "\(place.qualified) is forbidden: User \"test\" cannot list resource"
            return Reply(status: 403, body: Self.status(403, "Forbidden", message, details: place.details))
        }
        let all = objects.filter { place.holds($0.key) && Self.matches($0.value.node, request.query) }
            .sorted { ($0.key.namespace, $0.key.name) < ($1.key.namespace, $1.key.name) }.map(\.value.node)
        let start = request.query["continue"].flatMap { Int($0) } ?? 0
        let limit = request.query["limit"].flatMap { Int($0) } ?? all.count
        let page = Array(all.dropFirst(start).prefix(max(1, limit)))
        var metadata: [(String, Node)] = [("resourceVersion", .string("\(version)"))]
        if start + page.count < all.count { metadata.append(("continue", .string("\(start + page.count)"))) }
        return Reply(
            status: 200,
            body: Node.map([("kind", .string("List")), ("metadata", .map(metadata)), ("items", .list(page))]).json())
    }

    private func create(_ place: TestAPIPlace, _ request: TestAPIRequest) -> Reply {
        guard let node = try? readJSON(request.body) else { return invalid("no JSON") }
        var place = place
        place.name = LiveObject(node).name
        if objects[place.key] != nil {
            return Reply(
                status: 409,
                body: Self.status(
                    409, "AlreadyExists", "\(place.qualified) \"\(place.key.name)\" already exists",
                    details: place.details))
        }
        if let refusal = missingNamespace(place) { return refusal }
        put(place.key, node)
        objects[place.key]?.fields[request.query["fieldManager"] ?? "unknown"] = []
        return Reply(status: 201, body: objects[place.key]?.node.json() ?? "")
    }

    private func merge(_ place: TestAPIPlace, _ request: TestAPIRequest) -> Reply {
        guard let stored = objects[place.key] else { return notFound(place) }
        guard let patch = try? readJSON(request.body) else { return invalid("no JSON") }
        if let wanted = patch.at("metadata", "resourceVersion")?.text, wanted != LiveObject(stored.node).resourceVersion
        {
            return stale(place)
        }
        put(place.key, Self.merged(stored.node, patch))
        return Reply(status: 200, body: objects[place.key]?.node.json() ?? "")
    }

    private func replace(_ place: TestAPIPlace, _ request: TestAPIRequest) -> Reply {
        guard let stored = objects[place.key] else { return notFound(place) }
        guard let node = try? readJSON(request.body) else { return invalid("no JSON") }
        if let wanted = node.at("metadata", "resourceVersion")?.text, wanted != LiveObject(stored.node).resourceVersion
        {
            return stale(place)
        }
        put(place.key, node)
        return Reply(status: 200, body: objects[place.key]?.node.json() ?? "")
    }

    private func stale(_ place: TestAPIPlace) -> Reply {
        Reply(
            status: 409,
            body: Self.status(
                409, "Conflict",
                "Operation cannot be fulfilled on \(place.qualified) \"\(place.key.name)\": the object has been modified; "
                    + "please apply your changes to the latest version and try again", details: place.details))
    }

    private func deleteAll(_ place: TestAPIPlace, _ request: TestAPIRequest) -> Reply {
        let found = objects.filter { place.holds($0.key) && Self.matches($0.value.node, request.query) }
        for key in found.keys { remove(key) }
        let kinds = ["deployments": "DeploymentList", "configmaps": "ConfigMapList", "pods": "PodList"]
        return Reply(
            status: 200,
            body: Node.map([
                ("kind", .string(kinds[place.resource] ?? "List")),
                ("metadata", .map([("resourceVersion", .string("\(version)"))])),
                ("items", .list(found.values.map(\.node))),
            ]).json())
    }

    private func delete(_ place: TestAPIPlace, _ request: TestAPIRequest) -> Reply {
        guard let stored = objects[place.key] else { return notFound(place) }
        let wanted = (try? readJSON(request.body))?.at("preconditions", "uid")?.text
        if let wanted, wanted != LiveObject(stored.node).uid {
            return Reply(status: 409, body: Self.status(409, "Conflict", "the UID in the precondition does not match"))
        }
        if holdsDeletions {
            beginDeletion(place.resource, place.key.name, namespace: place.namespace)
            return Reply(status: 200, body: objects[place.key]?.node.json() ?? "")
        }
        remove(place.key)
        if place.resource == "namespaces" {
            for key in objects.keys where key.namespace == place.key.name { remove(key) }
            return Reply(
                status: 200,
                body: stored.node.setting(["status"], .map([("phase", .string("Terminating"))]))
                    .setting(["metadata", "resourceVersion"], .string("\(version)")).json())
        }
        let uid = ("uid", Node.string(LiveObject(stored.node).uid))
        return Reply(status: 200, body: Self.status(200, "", "", details: place.details + [uid]))
    }

    // MARK: Server-side apply

    private func apply(_ place: TestAPIPlace, _ request: TestAPIRequest) -> Reply {
        guard let wanted = try? readJSON(request.body) else { return invalid("no JSON") }
        if let refusal = missingNamespace(place) { return refusal }
        let manager = request.query["fieldManager"] ?? ""
        let stored = objects[place.key]
        let leaves = Leaves(wanted)
        var current = stored.map { Leaves($0.node) } ?? Leaves()
        var fields = stored?.fields ?? [:]
        var conflicts: [(manager: String, path: String)] = []
        for (path, value) in leaves.values where current.values[path].map({ !$0.means(value) }) ?? false {
            for (other, owned) in fields where other != manager && owned.contains(path) {
                conflicts.append((other, path))
                fields[other]?.remove(path)
            }
        }
        if !conflicts.isEmpty, request.query["force"] != "true" { return conflict(conflicts) }
        let before = fields[manager] ?? []
        for path in before.subtracting(leaves.values.keys)
        where !fields.contains(where: { $0.key != manager && $0.value.contains(path) }) {
            current.values[path] = nil
        }
        for (path, value) in leaves.values { current.values[path] = value }
        fields[manager] = Set(leaves.values.keys)
        let node = current.node(like: stored?.node ?? wanted, and: wanted)
        if let refusal = TestAPIRules(place: place, old: stored?.node, new: node).refusal { return refusal }
        if let reason = refused["\(place.resource)/\(place.key.name)"] {
            let message = "\(place.qualified) \"\(place.key.name)\" is forbidden: \(reason)"
            return Reply(status: 403, body: Self.status(403, "Forbidden", message, details: place.details))
        }
        if request.query["dryRun"] == "All" { return Reply(status: 200, body: node.json()) }
        if let stored, stored.node.sameContent(as: node) {
            objects[place.key]?.fields = fields
            return Reply(status: 200, body: stored.node.json())
        }
        put(place.key, node)
        objects[place.key]?.fields = fields
        return Reply(status: stored == nil ? 201 : 200, body: objects[place.key]?.node.json() ?? "")
    }

    private func conflict(_ conflicts: [(manager: String, path: String)]) -> Reply {
        let causes = conflicts.sorted { $0.path < $1.path }.map {
            Node.map([
                ("reason", .string("FieldManagerConflict")), ("message", .string("conflict with \"\($0.manager)\"")),
                ("field", .string(".\($0.path)")),
            ])
        }
        let words = conflicts.sorted { $0.path < $1.path }.map { "conflict with \"\($0.manager)\": .\($0.path)" }
        let message =
            words.count == 1
            ? "Apply failed with 1 conflict: \(words[0])"
            : "Apply failed with \(words.count) conflicts: \(words.joined(separator: "\n"))"
        return Reply(
            status: 409, body: Self.status(409, "Conflict", message, details: [("causes", .list(causes))]))
    }

    // MARK: Keeping

    private func put(_ key: Key, _ node: Node) {
        version += 1
        let old = objects[key]
        var node = node.setting(["metadata", "resourceVersion"], .string("\(version)"))
        let uid = old.map { LiveObject($0.node).uid } ?? "uid-\(version)"
        node = node.setting(["metadata", "uid"], .string(uid))
        let hasChanged = old.map { !($0.node["spec"] ?? .map([])).means(node["spec"] ?? .map([])) } ?? true
        let generation = (old.map { LiveObject($0.node).generation } ?? 0) + (hasChanged ? 1 : 0)
        node = node.setting(["metadata", "generation"], .plain("\(generation)"))
        if let status = controller(LiveObject(node)) { node = node.setting(["status"], status) }
        objects[key] = Stored(node: node, fields: old?.fields ?? [:])
        tell(Event(version: version, type: old == nil ? "ADDED" : "MODIFIED", key: key, node: node))
    }

    private func remove(_ key: Key) {
        guard let stored = objects.removeValue(forKey: key) else { return }
        version += 1
        tell(
            Event(
                version: version, type: "DELETED", key: key,
                node: stored.node.setting(["metadata", "resourceVersion"], .string("\(version)"))))
    }

    // MARK: Watches

    func watch(_ request: TestAPIRequest) -> AsyncStream<String> {
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let from = request.query["resourceVersion"].flatMap { Int($0) } ?? 0
        if from < oldestVersion {
            continuation.yield(
                "{\"type\":\"ERROR\",\"object\":\(Self.status(410, "Expired", "too old resource version"))}")
            continuation.finish()
            return stream
        }
        nextWatcher += 1
        watchers[nextWatcher] = (request, continuation)
        for event in events where event.version > from { send(event, to: request, continuation) }
        return stream
    }

    private func tell(_ event: Event) {
        events.append(event)
        for watcher in watchers.values { send(event, to: watcher.request, watcher.continuation) }
    }

    private func send(_ event: Event, to request: TestAPIRequest, _ continuation: AsyncStream<String>.Continuation) {
        guard let place = TestAPIPlace(request.path), place.holds(event.key), Self.matches(event.node, request.query)
        else {
            return
        }
        continuation.yield("{\"type\":\"\(event.type)\",\"object\":\(event.node.json())}")
    }

    // MARK: Words

    static func status(_ code: Int, _ reason: String, _ message: String, details: [(String, Node)] = []) -> String {
        var entries: [(String, Node)] = [
            ("kind", .string("Status")), ("apiVersion", .string("v1")), ("metadata", .map([])),
            ("status", .string(code < 300 ? "Success" : "Failure")),
        ]
        if !message.isEmpty { entries.append(("message", .string(message))) }
        if !reason.isEmpty { entries.append(("reason", .string(reason))) }
        if !details.isEmpty { entries.append(("details", .map(details))) }
        if code >= 300 { entries.append(("code", .plain("\(code)"))) }
        return Node.map(entries).json()
    }

    private func notFound(_ place: TestAPIPlace) -> Reply {
        Reply(
            status: 404,
            body: Self.status(
                404, "NotFound", "\(place.qualified) \"\(place.key.name)\" not found", details: place.details))
    }

    private func invalid(_ message: String) -> Reply {
        Reply(status: 400, body: Self.status(400, "BadRequest", message))
    }

    private func missingNamespace(_ place: TestAPIPlace) -> Reply? {
        guard !place.namespace.isEmpty else { return nil }
        if let space = objects[Key(resource: "namespaces", namespace: "", name: place.namespace)] {
            guard LiveObject(space.node).isTerminating, objects[place.key] == nil else { return nil }
            let cause = Node.map([
                ("reason", .string("NamespaceTerminating")), ("field", .string("metadata.namespace")),
                ("message", .string("namespace \(place.namespace) is being terminated")),
            ])
            return Reply(
                status: 403,
                body: Self.status(
                    403, "Forbidden",
                    "\(place.qualified) \"\(place.key.name)\" is forbidden: unable to create new content in namespace "
                        + "\(place.namespace) because it is being terminated",
                    details: place.details + [("causes", .list([cause]))]))
        }
        return Reply(
            status: 404,
            body: Self.status(
                404, "NotFound", "namespaces \"\(place.namespace)\" not found",
                details: [("name", .string(place.namespace)), ("kind", .string("namespaces"))]))
    }

    /// `labelSelector` of equalities, `fieldSelector` of the name.
    private static func matches(_ node: Node, _ query: [String: String]) -> Bool {
        let object = LiveObject(node)
        for term in (query["labelSelector"] ?? "").split(separator: ",") {
            let sides = term.split(separator: "=", maxSplits: 1).map(String.init)
            guard let value = object.labels[sides[0]], sides.count == 1 || value == sides[1] else { return false }
        }
        if let name = query["fieldSelector"]?.split(separator: "=").last, object.name != name { return false }
        return true
    }

    private static func merged(_ old: Node, _ patch: Node) -> Node {
        guard let changes = patch.mapping, var mapping = old.mapping else { return patch }
        for entry in changes.entries {
            if entry.value.isNull {
                mapping[entry.key] = nil
            } else {
                mapping[entry.key] = mapping[entry.key].map { merged($0, entry.value) } ?? entry.value
            }
        }
        return Node(.mapping(mapping))
    }
}

/// What a path names.
struct TestAPIPlace {
    var group: String
    var resource: String
    var namespace: String
    var name: String?

    /// As messages name the resource: `deployments.apps`.
    var qualified: String { group.isEmpty ? resource : "\(resource).\(group)" }

    /// What a Status says of the object.
    var details: [(String, Node)] {
        [("name", .string(key.name))] + (group.isEmpty ? [] : [("group", .string(group))])
            + [("kind", .string(resource))]
    }

    init(group: String, resource: String) {
        (self.group, self.resource, namespace) = (group, resource, "")
    }

    init?(_ path: [String]) {
        group = path.first == "apis" && path.count > 1 ? path[1] : ""
        var rest = path.first == "api" ? path.dropFirst(2) : path.first == "apis" ? path.dropFirst(3) : []
        guard !rest.isEmpty else { return nil }
        namespace = ""
        if rest.first == "namespaces", rest.count >= 3 {
            namespace = rest[rest.startIndex + 1]
            rest = rest.dropFirst(2)
        }
        guard let resource = rest.first else { return nil }
        self.resource = resource
        name = rest.count > 1 ? rest[rest.startIndex + 1] : nil
    }

    var key: TestAPIStore.Key { TestAPIStore.Key(resource: resource, namespace: namespace, name: name ?? "") }

    func holds(_ key: TestAPIStore.Key) -> Bool {
        key.resource == resource && (namespace.isEmpty || key.namespace == namespace)
    }
}
