import KubernetesClient
import Testing
import YAML

@testable import Runtimes

/// A plan says field by field what changes, and of a Secret only where.
@Suite struct ObjectDiffTests {
    @Test func `another image is told before what so notes for itself`() throws {
        func deployment(_ image: String, _ note: String) throws -> Node {
            try readJSON(
                """
                {"spec":{"template":{"metadata":{"annotations":{"stack-orchestrator.dev/images":"\(note)"}},
                "spec":{"containers":[{"name":"web","image":"\(image)","args":["\(note)"]}]}}}}
                """.utf8)
        }
        let diff = ObjectDiff(from: try deployment("a:1", "x"), to: try deployment("a:2", "y"))
        #expect(diff.lines.first?.contains("annotations") ?? false)
        #expect(diff.headline == "spec.template.spec.containers[web].image: \"a:1\" → \"a:2\"")
        let noted = ObjectDiff(from: try deployment("a:1", "x"), to: try deployment("a:1", "y"))
        #expect(noted.headline?.contains("args") ?? false)
    }

    private func diff(_ old: String, _ new: String, isSecret: Bool = false) throws -> [String] {
        ObjectDiff(from: try readJSON(old.utf8), to: try readJSON(new.utf8), isSecret: isSecret).lines
    }

    @Test(arguments: [
        (#"{"spec":{"replicas":1}}"#, #"{"spec":{"replicas":2}}"#, ["spec.replicas: 1 → 2"]),
        (#"{"a":1}"#, #"{"b":1}"#, ["a: 1 → removed", "b: added 1"]),
        (#"{"m":{"x.y/z":1}}"#, #"{"m":{"x.y/z":2}}"#, ["m[x.y/z]: 1 → 2"]),
        (
            #"{"c":[{"name":"a","v":1},{"name":"b"}]}"#, #"{"c":[{"name":"b"},{"name":"a","v":2}]}"#,
            ["c[a].v: 1 → 2"]
        ),
        (#"{"l":[1,2]}"#, #"{"l":[1,3]}"#, ["l[1]: 2 → 3"]),
        (#"{"a":1,"b":2}"#, #"{"b":2,"a":1}"#, []),
    ])
    func `each change has its path`(old: String, new: String, lines: [String]) throws {
        #expect(try diff(old, new) == lines)
    }

    @Test func `what only the server writes is not a change`() throws {
        let old =
            #"{"metadata":{"name":"a","resourceVersion":"1","generation":1,"managedFields":[1]},"status":{"x":1}}"#
        let new = #"{"metadata":{"name":"a","resourceVersion":"2","generation":2,"managedFields":[]}}"#
        #expect(try diff(old, new) == [])
    }

    @Test func `a Secret's values are never told`() throws {
        let lines = try diff(
            #"{"data":{"k":"aHVudGVyMg=="}}"#, #"{"data":{"k":"c2VjcmV0","n":"bmV3"}}"#, isSecret: true)
        #expect(lines == ["data.k: (secret)", "data.n: (secret)"])
    }

    @Test func `the inventory is read as it was written`() {
        let keys: Set = [
            ObjectKey(.services, "db", namespace: "n"), ObjectKey(.persistentVolumes, "n-db", namespace: "n"),
        ]
        let text = keys.map { "\($0.type.apiVersion) \($0.type.kind) \($0.name)" }.joined(separator: "\n")
        let object = LiveObject(.map([("data", .map([("objects", .string(text + "\nv9 Unknown x\nbroken"))]))]))
        #expect(Inventory(object, namespace: "n").keys == keys)
    }
}
