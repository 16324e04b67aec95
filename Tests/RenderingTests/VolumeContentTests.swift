import FoundationEssentials
import KubernetesObjects
import Rendering
import TestSupport
import Testing

/// An empty named volume gets what the image holds at its place.
@Suite struct VolumeContentTests {
    private func steps(_ rendered: Rendered, _ service: String) throws -> [Container] {
        try rendered.pod(service).spec.initContainers ?? []
    }

    @Test func `the first service to start fills a volume, unless it says nocopy`() throws {
        let rendered = try render(
            """
            services:
              web: {image: nginx, depends_on: [app], volumes: ["static:/usr/share/nginx/html"]}
              app: {image: app, user: "1000", volumes: ["static:/app/static", "/app/node_modules"]}
              db: {image: db, volumes: ["data:/data:nocopy", {type: volume, source: part, target: /p, volume: {subpath: x}}]}
            volumes: {static: , data: , part: }
            """)
        #expect(rendered.errors == [])
        #expect(try steps(rendered, "web") == [])
        #expect(try steps(rendered, "db") == [])
        let steps = try steps(rendered, "app")
        #expect(steps.map(\.name) == ["app-fill-static", "app-fill-app-app-node-modules"])
        #expect(steps.map(\.image) == ["app", "app"])
        #expect(steps.map(\.command?.last) == ["/app/static", "/app/node_modules"])
        #expect(steps.map(\.securityContext?.runAsUser) == [0, 0])
        #expect(steps[0].volumeMounts?.map(\.name) == ["static"])
    }

    @Test func `podman fills volumes by itself, and is told which not to`() throws {
        let rendered = try render(
            "services: {a: {image: i, volumes: [\"v:/v:nocopy\", \"w:/w\"]}}\nvolumes: {v: , w: }", target: .podman)
        #expect(try steps(rendered, "a") == [])
        #expect(try rendered.settings("a").unfilled == ["/v"])
    }

    /// Runs the step's own script on directories of this host.
    private func fill(_ prepare: (_ image: String, _ volume: String) throws -> Void) async throws -> [String] {
        let rendered = try render("services: {a: {image: i, volumes: [\"v:/v\"]}}\nvolumes: {v: }")
        let command = try #require(try steps(rendered, "a").first?.command)
        var found: [String] = []
        try await withTemporaryDirectory { directory in
            let (image, volume) = (directory + "/image", directory + "/volume")
            try FileManager.default.createDirectory(atPath: volume, withIntermediateDirectories: true)
            try prepare(image, volume)
            let script = command[2].split(separator: "/so-volume", omittingEmptySubsequences: false).joined(
                separator: volume)
            for _ in 0..<2 {
                let finished = try await run(
                    command[0], ["-c", script, "fill", image], environment: ["PATH": "/bin:/usr/bin"])
                #expect(finished.succeeded, "\(finished)")
            }
            found = try FileManager.default.contentsOfDirectory(atPath: volume).sorted()
        }
        return found
    }

    private func content(_ image: String) throws {
        for file in ["a", ".hidden", "deep/b"] { try write(file, to: "\(image)/\(file)") }
    }

    @Test func `an empty volume is filled, hidden files too`() async throws {
        #expect(try await fill { image, _ in try content(image) } == [".hidden", "a", "deep"])
    }

    @Test func `what a file system keeps in an empty volume does not count`() async throws {
        let found = try await fill { image, volume in
            try content(image)
            try FileManager.default.createDirectory(atPath: volume + "/lost+found", withIntermediateDirectories: true)
        }
        #expect(found == [".hidden", "a", "deep", "lost+found"])
    }

    @Test(arguments: ["file", ".hidden-file", "..odd"])
    func `a volume that holds anything stays as it is`(_ name: String) async throws {
        let found = try await fill { image, volume in
            try content(image)
            try write("mine", to: "\(volume)/\(name)")
        }
        #expect(found == [name])
    }

    @Test func `an image without the directory leaves the volume empty`() async throws {
        #expect(try await fill { _, _ in } == [])
    }

    @Test func `a copy that was cut short is made whole`() async throws {
        let found = try await fill { image, volume in
            try content(image)
            try write("", to: volume + "/.so-filling")
            try write("half", to: volume + "/a")
        }
        #expect(found == [".hidden", "a", "deep"])
    }
}
