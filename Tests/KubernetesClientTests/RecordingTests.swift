import KubernetesClient
import KubernetesTestSupport
import Testing
import YAML

/// The server of the tests answers as a real one did.
@Suite struct RecordingTests {
    /// What it leaves to the real one: schemas, rights, logs, deletion that takes its time, and what another program did in between.
    private static let unknown: Set<String> = [
        "Server version", "Unknown field in server-side apply: 500 with a telling message", "Invalid value: 422",
        "No credentials (anonymous is let in by authentication, stopped by RBAC): 403", "Not allowed by RBAC: 403",
        "A watch from a resourceVersion that is gone: 410 inside the stream", "Logs, last lines",
        "Logs of a container that never started: 400", "Logs of a container that is not in the pod: 400",
        "Delete, foreground: the object stays with a deletionTimestamp until its dependants are gone",
        "Create in a terminating namespace: 403",
        "Pod Security \"restricted\": the Deployment is accepted, with warnings in the headers",
        "so this ConfigMap is refused", "The claim again",
    ]

    @Test(arguments: ["apply", "workloads", "storage-network", "jobs-logs-delete", "admission"])
    func `every recorded answer to a change is given here too`(_ page: String) async throws {
        let store = TestAPIStore()
        if page != "apply" {
            for (resource, name) in [("namespaces", "rec"), ("deployments", "crash"), ("deployments", "ok")]
            where resource == "namespaces" || page == "jobs-logs-delete" {
                await store.put(resource, Self.object(resource, name))
            }
        }
        var versions = Versions()
        var compared = 0
        for exchange in try RecordedExchange.all(of: page)
        where exchange.changes && !Self.unknown.contains(exchange.title) {
            let ours = await store.replay(exchange)
            compared += 1
            #expect(ours.status == exchange.status, "\(exchange.title): \(ours.answer?.json() ?? "")")
            guard let theirs = exchange.answer else { continue }
            let answer = try #require(ours.answer, "\(exchange.title)")
            for key in ["kind", "reason", "status", "code"] where theirs["kind"]?.text == "Status" || key == "kind" {
                #expect(answer[key]?.text == theirs[key]?.text, "\(exchange.title): \(key)")
            }
            if theirs["kind"]?.text == "Status" {
                compare(answer, theirs, exchange.title)
            } else {
                for path in exchange.leaves {
                    #expect(answer.value(path) == theirs.value(path), "\(exchange.title): \(path)")
                }
                #expect(answer["data"]?.json() == theirs["data"]?.json(), "\(exchange.title)")
                let areAlike = versions.areAlike(exchange.target, answer, theirs)
                #expect(areAlike, "\(exchange.title): resourceVersion")
            }
        }
        #expect(compared > 0)
    }

    private func compare(_ ours: Node, _ theirs: Node, _ title: String) {
        // The difference that follows the first line is made of Go's own structures.
        let message = theirs["message"]?.text?.split(separator: "\n").first.map(String.init)
        #expect(ours["message"]?.text == message, "\(title)")
        for key in ["name", "kind", "group"] {
            #expect(ours.value(["details", key]) == theirs.value(["details", key]), "\(title): \(key)")
        }
        let causes = theirs["details"]?["causes"]?.sequence ?? []
        let found = ours["details"]?["causes"]?.sequence ?? []
        #expect(found.map { $0["field"]?.text } == causes.map { $0["field"]?.text }, "\(title)")
        #expect(found.map { $0["reason"]?.text } == causes.map { $0["reason"]?.text }, "\(title)")
    }

    private static func object(_ resource: String, _ name: String) -> Node {
        .map([
            ("apiVersion", .string(resource == "namespaces" ? "v1" : "apps/v1")),
            ("kind", .string(resource == "namespaces" ? "Namespace" : "Deployment")),
            (
                "metadata",
                .map(
                    [("name", .string(name))] + (resource == "namespaces" ? [] : [("namespace", .string("rec"))]))
            ),
        ])
    }

    /// A write that changes nothing keeps the version, any other moves it on.
    private struct Versions {
        private var last: [String: (ours: String?, theirs: String?)] = [:]

        mutating func areAlike(_ target: String, _ ours: Node, _ theirs: Node) -> Bool {
            let key = String(target.prefix { $0 != "?" })
            let now = (
                ours: ours.value(["metadata", "resourceVersion"]),
                theirs: theirs.value(["metadata", "resourceVersion"])
            )
            defer { last[key] = now }
            guard let before = last[key] else { return true }
            return (before.ours == now.ours) == (before.theirs == now.theirs)
        }
    }
}

extension RecordedExchange {
    fileprivate var changes: Bool { method != "GET" }

    /// The paths of what the request asks for.
    fileprivate var leaves: [[String]] {
        guard let node = try? loadYAMLDocument(Array(body.utf8), file: "body") else { return [] }
        func paths(_ node: Node, _ path: [String]) -> [[String]] {
            // Lists of maps come back with what the real one fills in.
            if let items = node.sequence { return items.allSatisfy { $0.scalar != nil } ? [path] : [] }
            guard let mapping = node.mapping else { return [path] }
            return mapping.entries.flatMap { paths($0.value, path + [$0.key]) }
        }
        return paths(node, []).filter { !$0.isEmpty && $0 != ["propagationPolicy"] }
    }
}

extension Node {
    /// The JSON of what stands at a path; nil where nothing does.
    fileprivate func value(_ path: [String]) -> String? {
        var node: Node? = self
        for key in path { node = node?.mapping?[key] }
        return node?.json()
    }
}
