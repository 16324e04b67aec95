import FoundationEssentials
import NIOHTTP1
import Orchestrator
import TestSupport
import Testing

/// Signing in with an account of the forge.
@Suite struct SignInTests {
    /// A sign-in that was begun: what the browser keeps, and what the forge was asked.
    private struct Begun {
        var cookie: String
        var state: String
        var challenge: String
    }

    private func withPeople(_ body: @escaping @Sendable (ServerFixture) async throws -> Void) async throws {
        try await withServer { server in
            _ = try await server.forge.repository()
            await server.forge.state.change("acme/shop") { $0.permissions = ["ada": "write", "eve": "read"] }
            try await body(server)
        }
    }

    private func begin(_ server: ServerFixture) async throws -> Begun {
        let answer = try await server.get("/login/forge")
        let place = try #require(answer.headers["location"].first)
        #expect(
            place.hasPrefix(server.forge.web + "/login/oauth/authorize?")
                && place.contains("code_challenge_method=S256"))
        func field(_ name: String) -> String {
            place.firstRange(of: name + "=").map { String(place[$0.upperBound...].prefix { $0 != "&" }) } ?? ""
        }
        let header = answer.headers["set-cookie"].first ?? ""
        #expect(header.contains("HttpOnly") && header.contains("SameSite=Lax"))
        return Begun(cookie: answer.cookies, state: field("state"), challenge: field("code_challenge"))
    }

    private func finish(_ server: ServerFixture, _ code: String, state: String, cookie: String?) async throws
        -> ServerFixture.Answer
    {
        try await server.get("/login/forge/callback?code=\(code)&state=\(state)", cookie: cookie)
    }

    @Test func `somebody who may write signs in, and sees what is theirs`() async throws {
        try await withPeople { server in
            let begun = try await begin(server)
            await server.forge.state.consent("c1", challenge: begun.challenge, login: "ada")
            let answer = try await finish(server, "c1", state: begun.state, cookie: begun.cookie)
            #expect(answer.status == 303 && answer.headers["location"] == ["/tasks"], "\(answer.text)")
            #expect(try await server.get("/tasks", cookie: answer.cookies).status == 200)
            #expect(try await server.get("/credentials", cookie: answer.cookies).status == 403)
        }
    }

    @Test func `a stranger to all projects stays outside`() async throws {
        try await withPeople { server in
            let begun = try await begin(server)
            await server.forge.state.consent("c1", challenge: begun.challenge, login: "eve")
            let answer = try await finish(server, "c1", state: begun.state, cookie: begun.cookie)
            #expect(answer.status == 403 && !answer.cookies.contains("so_session"))
        }
    }

    @Test func `a state that this browser was not given, or no cookie, signs nobody in`() async throws {
        try await withPeople { server in
            let (own, other) = (try await begin(server), try await begin(server))
            #expect(own.state != other.state && own.challenge != other.challenge)
            await server.forge.state.consent("c1", challenge: own.challenge, login: "ada")
            for (state, cookie) in [
                (other.state, own.cookie), ("", own.cookie), (own.state, nil), (own.state, "so_login=."),
            ] {
                let answer = try await finish(server, "c1", state: state, cookie: cookie)
                #expect(answer.status == 403 && !answer.cookies.contains("so_session"), "\(answer.text)")
            }
            // None of them has asked the forge.
            #expect(await server.forge.state.count("POST", "/login/oauth/access_token") == 0)
        }
    }

    @Test func `a code that was stolen is worth nothing without its verifier, and no code is good twice`() async throws
    {
        try await withPeople { server in
            let (victim, thief) = (try await begin(server), try await begin(server))
            await server.forge.state.consent("c1", challenge: victim.challenge, login: "ada")
            let stolen = try await finish(server, "c1", state: thief.state, cookie: thief.cookie)
            #expect(stolen.status >= 400 && !stolen.cookies.contains("so_session"))
            await server.forge.state.consent("c2", challenge: victim.challenge, login: "ada")
            #expect(try await finish(server, "c2", state: victim.state, cookie: victim.cookie).status == 303)
            #expect(try await finish(server, "c2", state: victim.state, cookie: victim.cookie).status >= 400)
        }
    }

    @Test func `a session that was planted before is not the one that is signed in`() async throws {
        try await withPeople { server in
            let begun = try await begin(server)
            await server.forge.state.consent("c1", challenge: begun.challenge, login: "ada")
            let planted = "so_session=planted"
            let answer = try await finish(server, "c1", state: begun.state, cookie: "\(begun.cookie); \(planted)")
            #expect(answer.status == 303 && !answer.cookies.contains("planted"))
            #expect(try await server.get("/tasks", cookie: planted).status == 303)
        }
    }
}
