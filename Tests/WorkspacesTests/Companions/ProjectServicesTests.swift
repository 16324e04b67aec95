import Compose
import OrderedCollections
import TestSupport
import Testing
import YAML

@testable import Workspaces

/// What a project's compose file may have beside an agent, decided without running anything.
@Suite struct ProjectServicesTests {
    private func read(_ compose: String, files: [String: String] = [:], services: [String] = []) throws
        -> ProjectServices
    {
        var texts = files
        texts["/p/compose.yml"] = compose
        var choice = ComposeChoice()
        (choice.files, choice.services) = (["compose.yml"], services)
        return try ProjectServices(
            choice, of: Project(path: "/p", owner: PodUser(user: 1000, group: 1000)), tree: .memory(texts: texts))
    }

    @Test(arguments: [
        "privileged: true", "network_mode: host", "pid: host", "ipc: host", "cap_add: [NET_ADMIN]",
        "devices: [/dev/kvm]",
        "volumes: [/var/run/docker.sock:/var/run/docker.sock]", "volumes: [../other:/x]", "volumes: [/etc:/etc:ro]",
        "volumes: [data:/x]", "security_opt: [seccomp:unconfined]", "extra_hosts: [\"h:host-gateway\"]",
        "userns_mode: host",
        "sysctls: {net.ipv4.ip_forward: 1}", "volumes_from: [other]", "secrets: [s]", "configs: [out]", "cgroup: host",
    ])
    func `a companion that asks for more than the session is refused with its line`(_ key: String) throws {
        let compose = """
            services:
              web:
                image: web
                \(key)
              other: {image: other}
            volumes: {data: {driver_opts: {type: none, o: bind, device: /etc}}}
            secrets: {s: {environment: HOME}}
            configs: {out: {file: /etc/passwd}}
            """
        let thrown = #expect(throws: InvalidInput.self) { try read(compose) }
        let error = try #require(thrown)
        #expect(
            error.diagnostics.contains { $0.description.hasPrefix("/p/compose.yml:") && $0.severity == .error },
            "\(error)")
        // The one that is not chosen keeps nobody from the others.
        #expect(try read(compose, services: ["other"]).services.keys.elements == ["other"])
    }

    @Test func `a volume that is named as another session's is the session's own`() throws {
        let services = try read(
            """
            services: {web: {image: web, volumes: ["theirs:/theirs", "work:/work"]}}
            volumes: {theirs: {name: s-aaaaaaaa-work}, work: }
            """)
        #expect(services.volumes.keys.allSatisfy { $0.hasPrefix("project-") } && services.volumes.count == 2)
        #expect(services.volumes.values.allSatisfy { $0.mapping?.entries.isEmpty == true })
        #expect(!(services.services["web"]?.json().contains("s-aaaaaaaa") ?? true))
        #expect(throws: InvalidInput.self) {
            try read(
                "services: {web: {image: web, volumes: [\"v:/v\"]}}\nvolumes: {v: {external: true, name: s-aaaaaaaa-work}}"
            )
        }
    }

    @Test func `a name of the session's own parts is refused`() throws {
        #expect(throws: InvalidInput.self) { try read("services: {egress: {image: x}}") }
        #expect(throws: InvalidInput.self) { try read("services: {agent: {image: x}}") }
    }

    @Test
    func `folders of the project become volumes of the checkout, files configs, and what is inside another stays so`()
        throws
    {
        let services = try read(
            """
            services:
              web:
                image: web
                volumes: [".:/app", "./site/:/site:ro", "./nginx.conf:/etc/nginx.conf:ro", "cache:/cache", "/anonymous"]
                environment: {PRICE: "$$5", NAME: "${PROJECT_NAME:-none}"}
                ports: ["8080:80"]
                networks: {default: {aliases: [www]}}
                depends_on: [db]
              db: {image: db, volumes: ["./data:/var/data"]}
            volumes: {cache: {}}
            """,
            files: ["/p/nginx.conf": "conf", "/p/site/index.html": "x", "/p/.env": "PROJECT_NAME=from the file\n"])
        #expect(Set(services.folders.keys) == ["", "site", "data"])
        #expect(services.configs.values.map { String(decoding: $0, as: UTF8.self) } == ["conf"])
        #expect(services.names["web"] == ["web", "www"])
        let web = try #require(services.services["web"]).json()
        for (folder, target) in [("", "/app"), ("site", "/app/site"), ("data", "/app/data"), ("site", "/site")] {
            let volume = try #require(services.folders[folder])
            #expect(web.contains(#""target":"\#(target)","source":"\#(volume)""#), "\(target): \(web)")
        }
        #expect(web.contains(#""PRICE":"$$5""#) && web.contains(#""NAME":"from the file""#), "\(web)")
        #expect(web.contains(#""so-checkout":{"condition":"service_completed_successfully"}"#))
        #expect(web.contains(#""db":{"condition":"service_started"}"#))
        #expect(!web.contains("8080"))
    }
}
