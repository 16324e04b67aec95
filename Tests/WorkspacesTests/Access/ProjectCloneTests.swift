import ExternalTools
import TestSupport
import Testing

@testable import Workspaces

/// Git servers whose certificate is of an authority of their own.
@Suite struct ProjectCloneTests {
    /// Serves a directory by https, with a certificate of an authority that nobody knows; the file of that authority.
    private func withServer(_ body: (_ directory: String, _ url: String, _ authority: String) async throws -> Void)
        async throws
    {
        try await withTemporaryDirectory("so-tls") { directory in
            let environment = ["PATH": "/usr/bin:/bin"]
            let made = try await run(
                "openssl",
                [
                    "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "key.pem", "-out", "own.pem", "-days",
                    "2",
                    "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                ], environment: environment, directory: directory)
            try #require(made.succeeded, "\(made)")
            let port = try freePort()
            _ = try await run(
                "openssl",
                ["s_server", "-accept", "127.0.0.1:\(port)", "-cert", "own.pem", "-key", "key.pem", "-WWW", "-quiet"],
                environment: environment, directory: directory
            ) { running in
                defer { running.terminate() }
                try await body(directory, "https://127.0.0.1:\(port)", directory + "/own.pem")
            }
        }
    }

    @Test func `a repository of such a server is cloned where its authority is named, and not elsewhere`() async throws
    {
        try await withServer { directory, url, authority in
            let source = try await GitRepository(directory + "/source")
            let commit = try await source.commit(["a.txt": "one\n"], "first")
            try await GitRepository.git(in: directory, ["clone", "-q", "--bare", "source", "served.git"])
            try await GitRepository.git(in: directory + "/served.git", ["update-server-info"])
            // The server takes the query for a part of the name.
            let references = try read(directory + "/served.git/info/refs")
            try write(references, to: directory + "/served.git/info/refs?service=git-upload-pack")
            var context = WorkspaceContext(
                environment: ["HOME": directory, "PATH": "/usr/bin:/bin"], dataDirectory: Shared.packageRoot)
            let clone = try ProjectClone("\(url)/served.git", in: directory + "/here")
            try write("", to: directory + "/here/.keep")
            #expect(try context.authorityFile() == nil)
            await #expect(throws: WorkspaceError.self) { try await clone.make(with: Git(inherited: hostEnvironment)) }
            try write("certificate-authority: \(authority)\n", to: directory + "/.config/so/settings.yml")
            try await clone.make(
                with: Git(inherited: hostEnvironment), authorities: try context.authorityFile())
            #expect(try await GitRepository(at: clone.directory).head() == commit)
            // What the user's environment says goes before.
            context.environment["GIT_SSL_CAINFO"] = "/own"
            #expect(try context.authorityFile() == nil)
        }
    }

    @Test func `a file that holds no certificate is refused with how to name another`() async throws {
        try await withTemporaryDirectory { directory in
            try write("nothing\n", to: directory + "/empty.pem")
            let error = #expect(throws: WorkspaceError.self) { try CertificateAuthority(directory + "/empty.pem") }
            #expect(error?.hint?.contains("so settings set certificate-authority") == true)
        }
    }
}
