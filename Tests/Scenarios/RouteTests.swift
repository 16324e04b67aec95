import FoundationEssentials
import TestSupport
import Testing

/// A web server that says what it is given, at once and at /cgi-bin/slow after a while.
private func web(_ name: String, _ text: String, port: Int = 8080) -> String {
    """
      \(name):
        image: IMAGE
        expose: ["\(port)"]
        command:
          - sh
          - -c
          - |
            mkdir -p /tmp/www/cgi-bin
            echo \(text) >/tmp/www/index.html
            echo '#!/bin/sh' >/tmp/www/cgi-bin/slow
            echo 'echo Content-Type: text/plain; echo; sleep 5; echo whole' >>/tmp/www/cgi-bin/slow
            chmod +x /tmp/www/cgi-bin/slow
            exec httpd -f -p \(port) -h /tmp/www
        stop_grace_period: 1s
        healthcheck:
          test: ["CMD", "wget", "-q", "-O", "/dev/null", "http://127.0.0.1:\(port)/"]
          interval: 100ms
          retries: 100

    """
}

private func spec(_ host: String, _ more: String = "", routes: String = "{path: /, proxy-to: \"web:8080\"}")
    async throws
    -> String
{
    """
    caddy-ingress-image: \(try await Caddy.image())
    network:
      http-proxy:
        - host-name: \(host)
          routes: [\(routes)]
    \(more)

    """
}

/// What the routes of this host answer to a GET: the first line without the protocol, a space, and the last line of the body.
private func ask(_ port: Int, _ host: String, _ path: String = "/") async throws -> String {
    try await asking(port, host, path, until: nil).first ?? ""
}

/// The same, again and again, until there is a file.
private func asking(_ port: Int, _ host: String, _ path: String = "/", until file: String?) async throws -> [String] {
    let script = """
        while :; do
            if exec 3<>"/dev/tcp/127.0.0.1/$1"; then
                printf 'GET %s HTTP/1.0\\r\\nHost: %s\\r\\n\\r\\n' "$3" "$2" >&3
                answer=$(timeout 30 cat <&3)
                exec 3>&-
                first=${answer%%$'\\r'*} last=${answer##*$'\\n'}
                printf '%s %s\\n' "${first#HTTP/1.? }" "${last%$'\\r'}"
            else
                echo refused
            fi
            if [ -z "$4" ] || [ -e "$4" ]; then break; fi
        done
        """
    let finished = try await run(
        "bash", ["-c", script, "ask", "\(port)", host, path, file ?? ""], environment: Podman.environment)
    return finished.output.split(separator: "\n").map(String.init)
}

/// A sandbox with a pod for routes of its own, on ports of its own.
private func withRoutes(_ body: (Sandbox, Int) async throws -> Void) async throws {
    let (http, https) = (try freePort(), try freePort())
    try await withSandbox(environment: ["SO_HTTP_PORT": "\(http)", "SO_HTTPS_PORT": "\(https)"]) { sandbox in
        try await body(sandbox, http)
        if exists(sandbox.deployment) { try await sandbox.mustDeployment("stop") }
        // Kept on purpose: a new pod finds its certificates there.
        try await Podman.run(["volume", "rm", sandbox.routesPod + "-data"])
    }
}

/// A further deployment on the same host.
private func withNeighbour(of sandbox: Sandbox, _ body: (Sandbox) async throws -> Void) async throws {
    var environment = sandbox.added
    environment["XDG_STATE_HOME"] = sandbox.environment["XDG_STATE_HOME"]
    try await withSandbox(environment: environment, body)
}

extension Sandbox {
    fileprivate var routesPod: String { "so-routes-\(token)" }
    fileprivate var routesDirectory: String { "\(directory)/home/.local/state/so/\(routesPod)" }

    fileprivate func routesContainer() async throws -> String {
        try await Podman.lines("ps", "--no-trunc", "--filter", "name=^\(routesPod)_caddy$", "--format", "{{.ID}}")
            .joined()
    }
}

@Suite(.pods, .podmanOnly, .caddy) struct RouteTests {
    @Test func `two deployments answer by host name through one pod, nothing is dropped, and it goes with the last`()
        async throws
    {
        try await withRoutes { one, port in
            try await one.create("services:\n" + web("web", "first"), spec: spec("one.localhost"))
            let started = try await one.mustDeployment("start")
            #expect(started.errors.contains("web: http://one.localhost:\(port)/"), "\(started)")
            #expect(!started.errors.contains("not served"), "\(started)")
            #expect(try await ask(port, "one.localhost") == "200 OK first")
            #expect(try await ask(port, "two.localhost") == "404 Not Found 404: no matching route")
            let pod = try await one.routesContainer()
            for verb in ["status", "ps"] {
                let shown = try await one.mustDeployment(verb).output
                #expect(shown.contains("http://one.localhost:\(port)/") && !shown.contains("caddy"), "\(shown)")
            }
            let again = try await one.mustDeployment("start")
            #expect(again.errors.contains("nothing to change"), "\(again)")

            try await withNeighbour(of: one) { two in
                try await two.create("services:\n" + web("web", "second"), spec: spec("two.localhost"))
                let enough = one.directory + "/enough"
                async let slow = ask(port, "one.localhost", "/cgi-bin/slow")
                async let answers = asking(port, "one.localhost", until: enough)
                try await two.mustDeployment("start")
                #expect(try await ask(port, "two.localhost") == "200 OK second")
                #expect(try await ask(port, "one.localhost") == "200 OK first")
                #expect(try await one.routesContainer() == pod)
                // A pod that is replaced gets another address.
                try two.writeStack("services:\n" + web("web", "third"))
                try await two.update()
                try await two.mustDeployment("start")
                #expect(try await ask(port, "two.localhost") == "200 OK third")
                try await two.mustDeployment("stop")
                #expect(try await ask(port, "two.localhost") == "404 Not Found 404: no matching route")
                try write("", to: enough)
                let lines = try await answers
                #expect(lines.count > 10 && Set(lines) == ["200 OK first"], "\(lines)")
                #expect(try await slow == "200 OK whole")
            }
            #expect(try await one.routesContainer() == pod)
            #expect(try await ask(port, "one.localhost") == "200 OK first")
            let stopped = try await one.mustDeployment("stop")
            #expect(stopped.errors.contains("deleted route one.localhost/"), "\(stopped)")
            #expect(try await Podman.named(one.routesPod) == ["volume \(one.routesPod)-data"])
            #expect(try FileManager.default.contentsOfDirectory(atPath: one.routesDirectory) == ["lock"])
        }
    }

    @Test func `a pod for the routes that was killed comes back with the next start, and dropped routes go`()
        async throws
    {
        try await withRoutes { sandbox, port in
            try await sandbox.create(
                "services:\n" + web("web", "here") + web("api", "api", port: 8081),
                spec: spec(
                    "h.localhost",
                    routes: "{path: /, proxy-to: \"web:8080\"}, {path: /cgi-bin*, proxy-to: \"api:8081\"}"))
            try await sandbox.mustDeployment("start")
            try await Podman.run(["kill", sandbox.routesPod + "_caddy"])
            try await Podman.run(["pod", "rm", "--force", "--time", "0", sandbox.routesPod])
            // As if the deployment it belongs to had been removed by hand.
            try write(
                #"{"deployment":"gone","network":"so-gone-\#(sandbox.token)","owner":"/gone","routes":[{"host":"h.localhost","path":"/","port":1,"service":"x","names":[]}]}"#,
                to: sandbox.routesDirectory + "/gone.json")
            let web = try await sandbox.containers("web")
            let plan = try await sandbox.mustDeployment("plan").output
            #expect(plan.contains("create") && plan.contains(sandbox.routesPod), "\(plan)")
            let healed = try await sandbox.mustDeployment("start")
            #expect(healed.errors.contains("everything is ready") && !healed.errors.contains("nothing"), "\(healed)")
            #expect(try await sandbox.containers("web") == web)
            #expect(try await ask(port, "h.localhost") == "200 OK here")
            #expect(!exists(sandbox.routesDirectory + "/gone.json"))

            // As a so leaves it that is killed between its note of the change and Caddy's answer.
            try write(#"{"apps":{}}"#, to: sandbox.routesDirectory + "/caddy/other.json")
            try await Podman.run([
                "exec", sandbox.routesPod + "_caddy", "caddy", "reload", "--config", "/so/other.json",
            ])
            #expect(try await ask(port, "h.localhost") != "200 OK here")
            try write("", to: sandbox.routesDirectory + "/pending")
            try await sandbox.mustDeployment("start")
            #expect(try await ask(port, "h.localhost") == "200 OK here")
            #expect(!exists(sandbox.routesDirectory + "/pending"))

            let pod = try await sandbox.routesContainer()
            try sandbox.writeSpec(try await spec("h.localhost", routes: "{path: /cgi-bin, proxy-to: \"api:8081\"}"))
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await sandbox.routesContainer() == pod)
            #expect(try await ask(port, "h.localhost") == "404 Not Found 404: no matching route")
            #expect(try await ask(port, "h.localhost", "/cgi-bin/slow") == "200 OK whole")
            try sandbox.writeSpec()
            try await sandbox.update()
            try await sandbox.mustDeployment("start")
            #expect(try await Podman.named(sandbox.routesPod) == ["volume \(sandbox.routesPod)-data"])
            #expect(try await sandbox.containers("web") == web)
        }
    }

    @Test func `deployments that start and stop at once agree about the one pod`() async throws {
        try await withRoutes { one, port in
            try await withNeighbour(of: one) { two in
                try await one.create("services:\n" + web("web", "first"), spec: spec("one.localhost"))
                try await two.create("services:\n" + web("web", "second"), spec: spec("two.localhost"))
                async let first = one.deployment("start")
                async let second = two.deployment("start")
                for started in [try await first, try await second] { #expect(started.succeeded, "\(started)") }
                #expect(try await ask(port, "one.localhost") == "200 OK first")
                #expect(try await ask(port, "two.localhost") == "200 OK second")
                async let firstStop = one.deployment("stop")
                async let secondStop = two.deployment("stop")
                for stopped in [try await firstStop, try await secondStop] { #expect(stopped.succeeded, "\(stopped)") }
                #expect(try await Podman.named(one.routesPod) == ["volume \(one.routesPod)-data"])
            }
        }
    }

    @Test func `a taken route, a busy port and a missing image are told before anything starts`() async throws {
        try await withRoutes { one, port in
            try await one.create("services:\n" + web("web", "first"), spec: spec("one.localhost"))
            let holder = try #require(one.added["SO_HTTP_PORT"])
            let name = "holder-\(one.token)"
            let held = try await Podman.run([
                "run", "--detach", "--name", name, "--publish", "\(holder):1", one.image, "sleep", "100000",
            ])
            #expect(held.succeeded, "\(held)")
            let busy = try await one.deployment("start")
            #expect(busy.status == 1 && busy.errors.contains("port \(port)/tcp of this host is in use"), "\(busy)")
            #expect(busy.errors.contains("SO_HTTP_PORT="), "\(busy)")
            #expect(try await one.containers("web").isEmpty)
            try await Podman.run(["rm", "--force", "--time", "0", name])

            try one.writeSpec(
                try await spec("one.localhost").replacing(Caddy.image(), with: "127.0.0.1:9/\(one.token):none"))
            try await one.update()
            let missing = try await one.deployment("start")
            #expect(missing.status == 1 && missing.errors.contains("caddy-ingress-image"), "\(missing)")
            #expect(try await one.containers("web").isEmpty)
            try one.writeSpec(try await spec("one.localhost"))
            try await one.update()
            try await one.mustDeployment("start")

            try await withNeighbour(of: one) { two in
                try await two.create("services:\n" + web("web", "second"), spec: spec("One.localhost"))
                for verb in ["plan", "start"] {
                    let taken = try await two.deployment(verb)
                    #expect(taken.status == 77 && taken.errors.contains(one.deployment), "\(taken)")
                }
                #expect(try await two.containers("web").isEmpty)
            }
            #expect(try await ask(port, "one.localhost") == "200 OK first")
        }
    }

    @Test
    func `the maintenance service answers while services are replaced, and the routes lead back`()
        async throws
    {
        try await withRoutes { sandbox, port in
            try await sandbox.create(
                "services:\n" + web("web", "shop") + web("sorry", "later", port: 8000),
                spec: spec("shop.invalid", "maintenance-service: sorry:8000"))
            try await sandbox.mustDeployment("start")
            let warned = try await sandbox.mustDeployment("update")
            #expect(
                warned.errors.contains("warning: http-proxy: ") && warned.errors.contains("shop.invalid"), "\(warned)")
            #expect(!warned.errors.contains("no effect"), "\(warned)")
            let before = try await (sandbox.containers("web"), sandbox.containers("sorry"))
            let enough = sandbox.directory + "/enough"
            async let answers = asking(port, "shop.invalid", until: enough)
            let restarted = try await sandbox.mustDeployment("restart", "--force")
            try write("", to: enough)
            let lines = try await answers
            #expect(Set(lines) == ["200 OK shop", "200 OK later"], "\(lines)")
            #expect(restarted.errors.contains("web: http://shop.invalid:\(port)/"), "\(restarted)")
            let after = try await (sandbox.containers("web"), sandbox.containers("sorry"))
            #expect(before.0 != after.0 && before.1 != after.1)
            #expect(try await ask(port, "shop.invalid") == "200 OK shop")
        }
    }
}
