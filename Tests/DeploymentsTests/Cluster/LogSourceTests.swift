import KubernetesClient
import Rendering
import Testing
import YAML

@testable import Runtimes

/// Which logs are followed while pods come and go.
@Suite struct LogSourceTests {
    private func pod(_ name: String, of workload: String = "web", uid: String? = nil, state: String = "running")
        -> LiveObject
    {
        let status = Node.map([("name", .string("main")), ("state", .map([(state, .map([]))]))])
        let labels = Node.map([(Keys.name, .string(workload))])
        return LiveObject(
            .map([
                (
                    "metadata",
                    .map([("name", .string(name)), ("uid", .string(uid ?? name)), ("labels", labels)])
                ),
                ("status", .map([("containerStatuses", .list([status]))])),
            ]))
    }

    @Test func `a pod stays the same source beside pods that come and go, and its number is not given twice`() {
        var sources = LogSources(workloads: ["web"])
        let first = sources.update([pod("web-m")])
        #expect(first.map(\.replica) == [1])
        let both = sources.update([pod("web-m"), pod("web-a")])
        #expect(both.map(\.pod) == ["web-a", "web-m"] && both.map(\.replica) == [2, 1])
        #expect(both.last == first.first)
        let later = sources.update([pod("web-a")])
        #expect(later == [both[0]])
        #expect(sources.update([pod("web-a"), pod("web-z")]).map(\.replica) == [2, 1])
    }

    @Test func `a pod that is recreated under its name is another source`() {
        var sources = LogSources(workloads: ["web"])
        let first = sources.update([pod("web-0", uid: "one")])
        #expect(sources.update([pod("web-0", uid: "two")]).first != first.first)
    }

    @Test func `only containers that have run are read, and each workload counts its own pods`() {
        var sources = LogSources(workloads: ["web", "db"])
        let found = sources.update([
            pod("web-a"), pod("db-a", of: "db"), pod("other", of: "other"), pod("web-b", state: "waiting"),
        ])
        #expect(found.map(\.pod) == ["db-a", "web-a"] && found.map(\.replica) == [1, 1])
        #expect(found.map(\.container) == ["main", "main"])
    }
}
