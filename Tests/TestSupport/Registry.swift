import FoundationEssentials
import Testing

/// A registry of images on 127.0.0.1, for one test: the OCI distribution protocol as far as podman's push and pull go.
///
/// Rule: <https://github.com/opencontainers/distribution-spec/blob/main/spec.md>
package struct Registry: Sendable {
    /// `127.0.0.1:<port>`.
    package let address: String
    fileprivate let directory: String

    /// The digest that a name and tag lead to; nil where there is none.
    package func digest(_ name: String, tag: String) throws -> String? {
        let path = "\(directory)/tags/\(name.replacing("/", with: "%"))/\(tag)"
        return exists(path) ? try read(path) : nil
    }
}

/// Runs the body with a registry that takes the login, or anybody.
package func withRegistry<Result: Sendable>(
    login: String? = nil, isolation: isolated (any Actor)? = #isolation, _ body: (Registry) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory("so-registry") { directory in
        var result: Result?
        try write(server, to: directory + "/registry.py")
        let arguments = [directory + "/registry.py", directory] + (login.map { [$0] } ?? [])
        let finished = try await run("python3", arguments, environment: Podman.environment) { running in
            defer { running.killNow() }
            try await eventually("the registry is up") { exists(directory + "/port") || !running.isAlive }
            guard exists(directory + "/port") else { return }
            result = try await body(
                Registry(address: "127.0.0.1:\(try read(directory + "/port"))", directory: directory))
        }
        guard let result else { throw Podman.Failed(finished: finished) }
        return result
    }
}

private let server = """
    import base64, hashlib, http.server, json, os, re, sys, uuid
    root, login = sys.argv[1], (sys.argv[2] if len(sys.argv) > 2 else None)
    for d in ('blobs', 'uploads', 'manifests', 'tags'): os.makedirs(f'{root}/{d}')
    wanted = 'Basic ' + base64.b64encode(login.encode()).decode() if login else None

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        def log_message(self, *a): pass
        def answer(self, code, body=b'', **headers):
            self.send_response(code)
            for k, v in headers.items(): self.send_header(k.replace('_', '-'), v)
            if 'Content_Length' not in headers: self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            if self.command != 'HEAD': self.wfile.write(body)
        def body(self):
            if self.headers.get('Transfer-Encoding') == 'chunked':
                data = b''
                while True:
                    size = int(self.rfile.readline().split(b';')[0], 16)
                    data += self.rfile.read(size); self.rfile.readline()
                    if size == 0: return data
            return self.rfile.read(int(self.headers.get('Content-Length') or 0))
        def handle_request(self):
            data = self.body()
            if wanted and self.headers.get('Authorization') != wanted:
                return self.answer(401, WWW_Authenticate='Basic realm="test"')
            path, _, query = self.path.partition('?')
            if path in ('/v2', '/v2/'): return self.answer(200, b'{}')
            m = re.fullmatch(r'/v2/(.+)/blobs/uploads/([^/]*)', path)
            if m: return self.upload(m[1], m[2], query, data)
            m = re.fullmatch(r'/v2/(.+)/blobs/(sha256:[0-9a-f]{64})', path)
            if m: return self.file(f'{root}/blobs/{m[2]}', 'application/octet-stream', m[2])
            m = re.fullmatch(r'/v2/(.+)/manifests/(.+)', path)
            if m: return self.manifest(m[1].replace('/', '%'), m[2], data)
            m = re.fullmatch(r'/v2/(.+)/tags/list', path)
            if m: return self.answer(200, json.dumps({'name': m[1], 'tags': sorted(os.listdir(f"{root}/tags/{m[1].replace('/', '%')}"))}).encode())
            self.answer(404)
        def upload(self, name, id, query, data):
            if self.command == 'POST':
                id = uuid.uuid4().hex
                open(f'{root}/uploads/{id}', 'wb').close()
            if not re.fullmatch('[0-9a-f]{32}', id): return self.answer(404)
            with open(f'{root}/uploads/{id}', 'ab') as f: f.write(data)
            where = {'Location': f'/v2/{name}/blobs/uploads/{id}'}
            if self.command != 'PUT': return self.answer(202, Range=f"0-{max(0, os.path.getsize(f'{root}/uploads/{id}') - 1)}", **where)
            content = open(f'{root}/uploads/{id}', 'rb').read()
            digest = 'sha256:' + hashlib.sha256(content).hexdigest()
            if digest.replace(':', '%3A') not in query and digest not in query: return self.answer(400)
            os.replace(f'{root}/uploads/{id}', f'{root}/blobs/{digest}')
            self.answer(201, Location=f'/v2/{name}/blobs/{digest}')
        def manifest(self, name, reference, data):
            if self.command == 'PUT':
                digest = 'sha256:' + hashlib.sha256(data).hexdigest()
                with open(f'{root}/manifests/{digest}', 'wb') as f: f.write(data)
                with open(f'{root}/manifests/{digest}.type', 'w') as f: f.write(self.headers['Content-Type'])
                if not reference.startswith('sha256:'):
                    os.makedirs(f'{root}/tags/{name}', exist_ok=True)
                    with open(f'{root}/tags/{name}/{reference}', 'w') as f: f.write(digest)
                return self.answer(201, Location=f'/v2/{name}/manifests/{digest}', Docker_Content_Digest=digest)
            tag = f'{root}/tags/{name}/{reference}'
            digest = open(tag).read() if os.path.exists(tag) else reference
            kind = f'{root}/manifests/{digest}.type'
            self.file(f'{root}/manifests/{digest}', open(kind).read() if os.path.exists(kind) else '', digest)
        def file(self, path, kind, digest):
            if not os.path.exists(path): return self.answer(404, b'{"errors":[{"code":"MANIFEST_UNKNOWN"}]}')
            self.answer(200, open(path, 'rb').read(), Content_Type=kind, Docker_Content_Digest=digest)
        do_GET = do_HEAD = do_POST = do_PATCH = do_PUT = handle_request

    server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    with open(f'{root}/port.new', 'w') as f: f.write(str(server.server_port))
    os.rename(f'{root}/port.new', f'{root}/port')
    server.serve_forever()

    """
