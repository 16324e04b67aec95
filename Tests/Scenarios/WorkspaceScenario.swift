import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// A git project in a sandbox, with an agent that is a script of the test's, declared as users declare their own.
struct WorkspaceScenario {
    let sandbox: Sandbox
    let project: GitRepository
    let image: String

    /// Runs `so` in the project.
    func so(_ arguments: String..., input: String = "", during: (Running) async throws -> Void = { _ in }) async throws
        -> Finished
    {
        try await run(
            Sandbox.binary, arguments, environment: sandbox.environment, directory: project.directory, input: input,
            during: during)
    }

    /// The same, which must succeed; what it printed.
    @discardableResult
    func must(_ arguments: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws -> String {
        let finished = try await run(
            Sandbox.binary, arguments, environment: sandbox.environment, directory: project.directory)
        try #require(finished.succeeded, "\(finished)", sourceLocation: sourceLocation)
        return finished.line
    }

    /// Declares the agent `name`: what it does without a terminal, `$1` being the prompt, and at one.
    func declare(_ name: String = "scripted", headless: String = "true", interactive: String = "cat", more: String = "")
        throws
    {
        func words(_ script: String) -> String { "[sh, -c, \(quoted(script)), agent" }
        try write(
            """
            name: \(name)
            commands:
              interactive: \(words(interactive))]
              headless: \(words(headless)), "${PROMPT}"]
            \(more)
            """, to: sandbox.directory + "/home/.config/so/agents/\(name).yml")
    }

    /// A text as JSON, hence YAML, has it.
    private func quoted(_ text: String) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
        return "\"\(escaped)\""
    }

    /// Writes workspace.yml and commits it.
    func define(_ more: String = "") async throws {
        try await project.commit(["workspace.yml": "image: \(image)\nagent: scripted\n\(more)"], "workspace")
    }

    /// The project's folder: part of what its workspace is called.
    var folder: String { "project\(sandbox.token)" }

    /// The ids of all sessions whose records are there, closed ones included.
    var sessions: [String] {
        let directory = sandbox.directory + "/home/.local/state/so/sessions"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return names.filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    /// Everything of podman's that belongs to the scenario's sessions or its workspace.
    func left() async throws -> [String] {
        var found: [String] = []
        for name in sessions + ["w-\(folder)"] { found += try await Podman.named(name) }
        return found
    }
}

/// Runs a scenario of sessions and workspaces; what it leaves in podman is an issue.
func withWorkspaces(isolation: isolated (any Actor)? = #isolation, _ body: (WorkspaceScenario) async throws -> Void)
    async throws
{
    try await withPodlessSandbox { sandbox in
        let project = try await GitRepository(sandbox.directory + "/project\(sandbox.token)")
        try await project.git("config", "user.name", "Somebody")
        try await project.git("config", "user.email", "somebody@example.com")
        try await project.commit(["a.txt": "one\n"], "first")
        let scenario = WorkspaceScenario(sandbox: sandbox, project: project, image: try await DebianImage.image())
        try scenario.declare()
        try await scenario.define()
        var failure: (any Error)?
        do { try await body(scenario) } catch { failure = error }
        let left = try await scenario.left()
        if failure == nil { #expect(left == []) }
        for name in scenario.sessions + ["w-\(scenario.folder)"] where !left.isEmpty {
            await Podman.removeAll(named: name)
        }
        if let failure { throw failure }
    }
}

extension TestTerminal {
    /// Types a line again and again until an answer is shown: a program that comes up may not have taken the first.
    func ask(_ line: String, _ answer: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
        var tries = 0
        try await eventually("`\(line)` is answered: \(answer)", sourceLocation: sourceLocation) {
            if tries % 60 == 0 { type(line + "\r") }
            tries += 1
            return text.contains(answer)
        }
    }
}
