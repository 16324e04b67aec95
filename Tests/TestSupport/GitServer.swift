import FoundationEssentials
import Testing

/// An authority that nobody knows, and a server's certificate of it.
package struct TestAuthority: Sendable {
    /// The authority's own certificate, as PEM.
    package let authority: String
    /// The server's, and its key.
    package let certificate: String
    package let key: String

    /// Makes both with openssl.
    ///
    /// - Parameter names: what the server is called.
    package static func make(in directory: String, names: [String]) async throws -> TestAuthority {
        let made = TestAuthority(
            authority: directory + "/authority.pem", certificate: directory + "/server.pem",
            key: directory + "/server.key")
        try write("subjectAltName=\(names.map { "DNS:\($0)" }.joined(separator: ","))\n", to: directory + "/names")
        let new = ["-newkey", "rsa:2048", "-nodes"]
        for words in [
            ["req", "-x509"] + new
                + ["-keyout", "authority.key", "-out", "authority.pem", "-days", "2", "-subj", "/CN=nobody's"],
            ["req"] + new + ["-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=server"],
            [
                "x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
                "-CAcreateserial",
                "-out", "server.pem", "-days", "2", "-extfile", "names",
            ],
        ] {
            let finished = try await run("openssl", words, environment: Podman.environment, directory: directory)
            try #require(finished.succeeded, "\(finished)")
        }
        return made
    }
}

/// A git server by https on all addresses: git's own http-backend, which anybody may push to.
package struct GitServer: Sendable {
    package let port: Int
    /// Its repositories are below.
    package let directory: String
}

/// Runs the body with a git server of this authority.
package func withGitServer(
    _ authority: TestAuthority, isolation: isolated (any Actor)? = #isolation,
    _ body: (GitServer) async throws -> Void
) async throws {
    try await withTemporaryDirectory("so-git-server") { directory in
        try write(server, to: directory + "/server.py")
        try FileManager.default.createDirectory(atPath: directory + "/root", withIntermediateDirectories: true)
        let arguments = [directory + "/server.py", directory, authority.certificate, authority.key]
        let finished = try await run("python3", arguments, environment: Podman.environment) { running in
            defer { running.killNow() }
            try await eventually("the git server is up") { exists(directory + "/port") || !running.isAlive }
            guard exists(directory + "/port"), let port = Int(try read(directory + "/port")) else { return }
            try await body(GitServer(port: port, directory: directory + "/root"))
        }
        guard exists(directory + "/port") else { throw Podman.Failed(finished: finished) }
    }
}

/// https://git-scm.com/docs/git-http-backend by the words of RFC 3875.
private let server = #"""
    import http.server, os, ssl, subprocess, sys
    root, certificate, key = sys.argv[1:4]

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *a): pass
        def serve(self):
            path, _, query = self.path.partition('?')
            body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
            env = dict(os.environ, GIT_PROJECT_ROOT=f'{root}/root', GIT_HTTP_EXPORT_ALL='1', PATH_INFO=path, QUERY_STRING=query,
                REQUEST_METHOD=self.command, CONTENT_TYPE=self.headers.get('Content-Type', ''), CONTENT_LENGTH=str(len(body)),
                REMOTE_USER='anybody', REMOTE_ADDR=self.client_address[0], GIT_CONFIG_COUNT='1', GIT_CONFIG_KEY_0='safe.directory',
                GIT_CONFIG_VALUE_0='*')
            for name in ('Content-Encoding', 'Git-Protocol'):
                if name in self.headers: env[('HTTP_' if name[0] == 'C' else '') + name.upper().replace('-', '_')] = self.headers[name]
            answer = subprocess.run(['git', 'http-backend'], input=body, env=env, capture_output=True).stdout
            head, _, content = answer.partition(b'\r\n\r\n')
            fields = dict(line.split(': ', 1) for line in head.decode().split('\r\n') if ': ' in line)
            self.send_response(int(fields.pop('Status', '200 OK').split()[0]))
            for field in fields.items(): self.send_header(*field)
            self.send_header('Content-Length', str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        do_GET = do_POST = serve

    server = http.server.ThreadingHTTPServer(('0.0.0.0', 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with open(f'{root}/port.new', 'w') as f: f.write(str(server.server_port))
    os.rename(f'{root}/port.new', f'{root}/port')
    server.serve_forever()

    """#
