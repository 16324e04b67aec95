import Compose
import Deployments
import FoundationEssentials
import TestSupport
import Testing

@testable import Workspaces

/// What the Containerfile of a hostile project reaches while it is built.
@Suite(.pods, .debian, .serialized) struct BuildNetworkTests {
    /// Writes what the build's own network leads to: its gateway's port, and a name that the egress lets through.
    private func containerfile(_ image: String, _ port: Int) -> String {
        """
        FROM \(image)
        USER 0:0
        RUN set -- $(sed -n 's/^[^\\t]*\\t00000000\\t\\([0-9A-F]*\\)\\t.*/\\1/p' /proc/net/route); gw=${1:-0101010A}; \\
            host=$((0x${gw#??????})).$((0x$(echo $gw | cut -c 5-6))).$((0x$(echo $gw | cut -c 3-4))).$((0x$(echo $gw | cut -c 1-2))); \\
            if timeout 5 bash -c "exec 3<>/dev/tcp/$host/\(port)"; then echo open; else echo closed; fi >/reached 2>/dev/null; \\
            getent ahostsv4 deb.debian.org >>/reached; getent ahostsv4 other.example >>/reached; true
        """
    }

    private func reached(_ fixture: DeclaredFixture) async throws -> String {
        let project = try Project(fixture.source.directory)
        let context = fixture.context
        let recipe = try context.recipe(project)
        try await context.provide(recipe, of: project, try context.load(project).definition) { _ in }
        let said = try await Podman.run(["run", "--rm", "--network", "none", recipe.tag, "cat", "/reached"])
        #expect(said.succeeded, "\(said)")
        return said.output
    }

    @Test func `it reaches what a session reaches, and all of this host's network where the user says so`() async throws
    {
        try await withDeclaredSessions { fixture in
            try fixture.declareScripted("true")
            let file = containerfile(fixture.image, fixture.model.port)
            try write(file + "\n", to: fixture.source.directory + "/Containerfile")
            try write("build: {context: .}\nagent: scripted\n", to: fixture.source.directory + "/workspace.yml")
            let inside = try await reached(fixture)
            #expect(inside.hasPrefix("closed\n10."), "\(inside)")
            #expect(!inside.contains("other.example"), "\(inside)")
            #expect(try SessionStore(state: fixture.directory + "/state/so").orphans() == [])
            #expect(try await fixture.service.orphans(everywhere: true).found == [])

            // Its twin: the same place answers where nothing holds the build back.
            try write("build-network: host\n", to: fixture.directory + "/config/so/settings.yml")
            try write(file + " # again\n", to: fixture.source.directory + "/Containerfile")
            #expect(try await reached(fixture).hasPrefix("open\n"))
        }
    }

    @Test(arguments: [
        "ADD http://169.254.169.254/latest /x", "add --chown=1:1 \\\n  https://example.com/x /x", "ADD $URL /x",
        "ONBUILD ADD git@example.com:x /x",
    ])
    func `what the engine itself would fetch is refused with its line`(_ line: String) async throws {
        try await withTemporaryDirectory { directory in
            let project = Project(path: directory, owner: PodUser(user: 1000, group: 1000))
            try write("FROM scratch\nCOPY a /a\n\(line)\n", to: directory + "/Containerfile")
            let base = try BaseBuild(ProjectBuild(context: "."), project: project, tree: .disk)
            let error = #expect(throws: WorkspaceError.self) { try base.refuseRemoteSources() }
            #expect(error?.message.contains("/Containerfile:") == true)
            try write("FROM scratch\nADD a.tar /a\nRUN echo $X http://x\n", to: directory + "/Containerfile")
            try base.refuseRemoteSources()
        }
    }
}
