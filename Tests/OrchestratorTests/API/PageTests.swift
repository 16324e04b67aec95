import FoundationEssentials
import NIOHTTP1
import Orchestrator
import TestSupport
import Testing

@Suite struct PageTests {
    private static let evil = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"

    @Test func `text of strangers is escaped on every page, and its addresses lead nowhere but to the web`()
        async throws
    {
        try await withServer { server in
            var new = newTask(1)
            (new.details.title, new.details.body, new.details.issueURL) = (Self.evil, Self.evil, "javascript:alert(3)")
            let (task, _) = try await server.store.create(new, by: Self.evil)
            try await server.store.append(output: Self.evil, of: task.id)
            let (cookie, _) = try await server.signIn()
            for path in ["/tasks", "/tasks?view=list", "/tasks/\(task.id)", "/tasks/\(task.id)/diff", "/activity"] {
                let page = try await server.get(path, cookie: cookie)
                #expect(page.status == 200, "\(path): \(page.text.prefix(300))")
                #expect(!page.text.contains("<script>alert") && !page.text.contains("<img"), "\(path)")
                #expect(!page.text.contains("javascript:"), "\(path)")
            }
        }
    }

    @Test func `every page forbids what is not ours, and loads nothing from elsewhere`() async throws {
        try await withServer { server in
            let (cookie, _) = try await server.signIn()
            for path in [
                "/login", "/tasks", "/projects", "/agents", "/credentials", "/activity", "/settings", "/absent",
            ] {
                let page = try await server.get(path, cookie: cookie)
                let policy = page.headers["content-security-policy"].first ?? ""
                #expect(policy.hasPrefix("default-src 'none'") && !policy.contains("unsafe"), "\(path)")
                #expect(page.headers["x-content-type-options"] == ["nosniff"])
                #expect(!page.text.contains("src=\"http") && !page.text.contains("style="), "\(path)")
                #expect(page.text.contains("<h1>") && page.text.contains("lang=\"en\""), "\(path)")
            }
        }
    }

    @Test func `the board shows what needs somebody, however much has ended or is of others`() async throws {
        try await withServer { server in
            _ = try await server.store.create(newTask(1), by: "ada")
            let other = RepositoryReference(id: 72, name: "acme/other")
            for number in 2...310 {
                let (task, _) = try await server.store.create(
                    newTask(number, in: number % 2 == 0 ? shop : other), by: "ada")
                try await server.store.apply(TaskEffect(.cancel(task.id, reason: "closed"), by: "ada"))
            }
            let token = try await server.store.signIn("ada", .member, repositories: ["Acme/Shop"], for: 60)
            for path in ["/tasks", "/tasks?view=list", "/api/v1/tasks"] {
                let page = try await server.get(path, cookie: "so_session=\(token)").text
                #expect(page.contains("Issue 310") && !page.contains("Issue 309"), "\(path)")
                #expect(page.contains("Issue 112"), "\(path)")
                #expect(page.contains("Issue 1<") == (path == "/tasks"), "\(path)")
            }
            let board = try await server.get("/tasks", cookie: "so_session=\(token)").text
            #expect(board.contains(">155<"))
        }
    }

    @Test func `a form of another site changes nothing; ours does`() async throws {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(1), by: "ada")
            let (cookie, form) = try await server.signIn()
            for path in ["/tasks/\(task.id)/cancel", "/credentials", "/logout"] {
                #expect(try await server.form(path, ["name": "A", "value": "b"], cookie: cookie).status == 403)
                #expect(try await server.form(path, ["form": "guess"], cookie: cookie).status == 403)
            }
            #expect(try await server.store.task(task.id).state == .queued)
            #expect(try await server.form("/tasks/\(task.id)/cancel", ["form": form], cookie: cookie).status == 303)
            #expect(try await server.store.task(task.id).state == .cancelled)
        }
    }

    @Test func `a cookie that was planted before a sign-in is worth nothing after it; signing out ends one`()
        async throws
    {
        try await withServer { server in
            let planted = "so_session=planted"
            let answer = try await server.form("/login", ["token": server.token], cookie: planted)
            #expect(answer.status == 303 && !answer.cookies.contains("planted"))
            #expect(answer.headers["set-cookie"].allSatisfy { $0.contains("HttpOnly") && $0.contains("SameSite=Lax") })
            #expect(try await server.get("/tasks", cookie: planted).status == 303)
            #expect(try await server.form("/login", ["token": "wrong"]).status == 403)
            let (cookie, form) = try await server.signIn()
            #expect(try await server.form("/logout", ["form": form], cookie: cookie).status == 303)
            #expect(try await server.get("/tasks", cookie: cookie).status == 303)
        }
    }

    @Test func `a member sees the tasks of their repositories alone, and administers nothing`() async throws {
        try await withServer { server in
            let (task, _) = try await server.store.create(newTask(1), by: "ada")
            let own = try await server.store.signIn("ada", .member, repositories: ["acme/shop"], for: 60)
            let stranger = try await server.store.signIn("eve", .member, repositories: ["acme/other"], for: 60)
            #expect(try await server.get("/tasks/\(task.id)", cookie: "so_session=\(own)").status == 200)
            #expect(try await server.get("/tasks/\(task.id)", cookie: "so_session=\(stranger)").status == 404)
            #expect(try await !server.get("/tasks", cookie: "so_session=\(stranger)").text.contains("Issue 1"))
            for path in ["/credentials", "/activity", "/agents", "/settings"] {
                #expect(try await server.get(path, cookie: "so_session=\(own)").status == 403)
            }
        }
    }

    @Test func `the administrator's token is made once, in a file that only its owner can read`() async throws {
        try await withServer { server in
            let file = server.directory + "/administrator.token"
            let (written, bits) = (try read(file), try mode(file))
            #expect(written == server.token + "\n" && bits == 0o600)
            let again = try await OrchestratorServer.makeAdministrator(server.store, stateDirectory: server.directory)
            #expect(again == nil)
            let page = try await server.get("/login")
            #expect(page.status == 200)
        }
    }
}
