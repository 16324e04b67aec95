import FoundationEssentials
import Testing

/// A provider of models on 127.0.0.1 that answers as its script says: Anthropic's messages, OpenAI's responses and chat completions, all
/// streamed where asked. Every tool call has an id of its own.
package struct ModelServer: Sendable {
    /// What the next request that may use tools is answered with. When the script is used up the model says that it is done.
    package enum Step: Sendable {
        case text(String)
        /// Runs a shell command with whatever tool the CLI has for that.
        case shell(String)
        /// An error of the provider's.
        case failure(status: Int, retryAfter: Int? = nil)
        /// The stream ends in the middle of a word.
        case cut
    }

    /// `http://127.0.0.1:<port>`.
    package let url: String
    package let port: Int
    fileprivate let directory: String

    /// What was asked: one line of JSON a request, with `path`, `headers` in lower case and the body's first 2000 characters.
    package func requests() throws -> [String] {
        let path = directory + "/requests"
        return exists(path) ? try read(path).split(separator: "\n").map(String.init) : []
    }
}

/// Runs the body with a model server, on the addresses given.
///
/// - Parameter authority: speaks TLS with a certificate of it; nil: it speaks without.
package func withModelServer<Result: Sendable>(
    _ script: [ModelServer.Step], address: String = "127.0.0.1", authority: TestAuthority? = nil,
    isolation: isolated (any Actor)? = #isolation,
    _ body: (ModelServer) async throws -> Result
) async throws -> Result {
    try await withTemporaryDirectory("so-model") { directory in
        var result: Result?
        try write(server, to: directory + "/model.py")
        try write("[" + script.map(\.json).joined(separator: ",") + "]", to: directory + "/script.json")
        let tls = authority.map { [$0.certificate, $0.key] } ?? []
        let arguments = [directory + "/model.py", directory, address] + tls
        let finished = try await run("python3", arguments, environment: Podman.environment) { running in
            defer { running.killNow() }
            try await eventually("the model server is up") { exists(directory + "/port") || !running.isAlive }
            guard exists(directory + "/port"), let port = Int(try read(directory + "/port")) else { return }
            result = try await body(
                ModelServer(
                    url: "\(authority == nil ? "http" : "https")://127.0.0.1:\(port)", port: port, directory: directory)
            )
        }
        guard let result else { throw Podman.Failed(finished: finished) }
        return result
    }
}

extension ModelServer.Step {
    fileprivate var json: String {
        switch self {
        case .text(let text): #"{"text": \#(quoted(text))}"#
        case .shell(let command): #"{"shell": \#(quoted(command))}"#
        case .failure(let status, let retryAfter):
            #"{"status": \#(status), "retry": \#(retryAfter.map { "\($0)" } ?? "null")}"#
        case .cut: #"{"cut": true}"#
        }
    }
}

private func quoted(_ text: String) -> String {
    (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
}

private let server = #"""
    import http.server, json, os, ssl, sys, threading, time, uuid
    root, address = sys.argv[1], sys.argv[2]
    script = json.load(open(f'{root}/script.json'))
    lock = threading.Lock()
    USAGE = {'input_tokens': 1200, 'cache_creation_input_tokens': 300, 'cache_read_input_tokens': 5000}

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = 'HTTP/1.1'
        # An instruction that says `slowly` is answered in two pieces, some time after it was asked.
        slow = False
        def log_message(self, *a): pass
        def plain(self, code, value, **headers):
            body = json.dumps(value).encode()
            self.send_response(code)
            for k, v in headers.items(): self.send_header(k.replace('_', '-'), v)
            self.send_header('Content-Type', 'application/json')
            self.send_header('Content-Length', str(len(body)))
            self.end_headers()
            if self.command == 'HEAD': return
            if self.slow:
                self.wfile.write(body[:10])
                self.wfile.flush()
                time.sleep(1)
                body = body[10:]
            self.wfile.write(body)
        def do_HEAD(self): self.plain(200, {})
        def do_GET(self): self.plain(200, {'data': [], 'object': 'list'})
        def do_POST(self):
            body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
            path = self.path.split('?')[0]
            self.slow = b'slowly' in body
            if self.slow: time.sleep(1)
            with lock, open(f'{root}/requests', 'a') as f:
                f.write(json.dumps({'path': self.path, 'headers': {k.lower(): v for k, v in self.headers.items()}, 'body': body.decode()[:2000]}) + '\n')
            if path.endswith('/count_tokens'): return self.plain(200, {'input_tokens': 10})
            request = json.loads(body)
            step = {'text': 'All done.'}
            if request.get('tools'):
                with lock:
                    if script: step = script.pop(0)
            if 'status' in step:
                headers = {'Retry_After': str(step['retry'])} if step.get('retry') is not None else {}
                return self.plain(step['status'], {'type': 'error', 'error': {'type': 'scripted_error', 'message': f"scripted {step['status']}"}}, **headers)
            name = {'messages': self.anthropic, 'responses': self.openai, 'completions': self.chat}[path.split('/')[-1]]
            name(request, step)
        def begin(self):
            self.send_response(200)
            self.send_header('Content-Type', 'text/event-stream')
            self.send_header('Connection', 'close')
            self.end_headers()
            self.close_connection = True
        def event(self, data, name=None):
            self.wfile.write(((f'event: {name}\n' if name else '') + f'data: {json.dumps(data)}\n\n').encode())
            self.wfile.flush()
        def anthropic(self, request, step):
            model = request['model']
            if 'shell' in step: content = {'type': 'tool_use', 'id': f'toolu_{uuid.uuid4().hex}', 'name': 'Bash', 'input': {'command': step['shell'], 'description': 'scripted'}}
            else: content = {'type': 'text', 'text': step.get('text', 'Half a wo')}
            reason = 'tool_use' if 'shell' in step else 'end_turn'
            message = {'id': f'msg_{uuid.uuid4().hex}', 'type': 'message', 'role': 'assistant', 'model': model, 'stop_sequence': None}
            if not request.get('stream'):
                return self.plain(200, dict(message, content=[content], stop_reason=reason, usage=dict(USAGE, output_tokens=77)))
            self.begin()
            self.event({'type': 'message_start', 'message': dict(message, content=[], stop_reason=None, usage=dict(USAGE, output_tokens=1))}, 'message_start')
            start = dict(content, input={}) if 'shell' in step else {'type': 'text', 'text': ''}
            self.event({'type': 'content_block_start', 'index': 0, 'content_block': start}, 'content_block_start')
            delta = {'type': 'input_json_delta', 'partial_json': json.dumps(content['input'])} if 'shell' in step else {'type': 'text_delta', 'text': content['text']}
            self.event({'type': 'content_block_delta', 'index': 0, 'delta': delta}, 'content_block_delta')
            if 'cut' in step: return
            self.event({'type': 'content_block_stop', 'index': 0}, 'content_block_stop')
            self.event({'type': 'message_delta', 'delta': {'stop_reason': reason, 'stop_sequence': None}, 'usage': {'output_tokens': 77}}, 'message_delta')
            self.event({'type': 'message_stop'}, 'message_stop')
        def openai(self, request, step):
            ident = f'resp_{uuid.uuid4().hex}'
            base = {'id': ident, 'object': 'response', 'model': request['model'], 'status': 'in_progress', 'output': []}
            self.begin()
            self.event(dict(type='response.created', response=base), 'response.created')
            if 'shell' in step: item = {'type': 'function_call', 'id': f'fc_{uuid.uuid4().hex}', 'call_id': f'call_{uuid.uuid4().hex}', 'name': 'exec_command', 'arguments': json.dumps({'cmd': step['shell']})}
            else: item = {'type': 'message', 'id': f'msg_{uuid.uuid4().hex}', 'role': 'assistant', 'status': 'completed', 'content': [{'type': 'output_text', 'text': step.get('text', 'Half a wo'), 'annotations': []}]}
            self.event({'type': 'response.output_item.added', 'output_index': 0, 'item': item}, 'response.output_item.added')
            if 'cut' in step: return
            self.event({'type': 'response.output_item.done', 'output_index': 0, 'item': item}, 'response.output_item.done')
            usage = {'input_tokens': 6200, 'input_tokens_details': {'cached_tokens': 5000}, 'output_tokens': 77, 'output_tokens_details': {'reasoning_tokens': 20}, 'total_tokens': 6277}
            self.event({'type': 'response.completed', 'response': dict(base, status='completed', output=[item], usage=usage)}, 'response.completed')
        def chat(self, request, step):
            base = {'id': f'chatcmpl-{uuid.uuid4().hex}', 'object': 'chat.completion.chunk', 'created': 1, 'model': request['model']}
            usage = {'prompt_tokens': 6200, 'completion_tokens': 77, 'total_tokens': 6277, 'prompt_tokens_details': {'cached_tokens': 5000}}
            text = step.get('text', 'Half a wo')
            if not request.get('stream'):
                return self.plain(200, dict(base, object='chat.completion', usage=usage, choices=[{'index': 0, 'finish_reason': 'stop', 'message': {'role': 'assistant', 'content': text}}]))
            self.begin()
            self.event(dict(base, choices=[{'index': 0, 'delta': {'role': 'assistant', 'content': text}, 'finish_reason': None}]))
            if 'cut' in step: return
            self.event(dict(base, choices=[{'index': 0, 'delta': {}, 'finish_reason': 'stop'}]))
            if (request.get('stream_options') or {}).get('include_usage'): self.event(dict(base, choices=[], usage=usage))
            self.wfile.write(b'data: [DONE]\n\n')

    server = http.server.ThreadingHTTPServer((address, 0), Handler)
    if len(sys.argv) > 3:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[3], sys.argv[4])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    with open(f'{root}/port.new', 'w') as f: f.write(str(server.server_port))
    os.rename(f'{root}/port.new', f'{root}/port')
    server.serve_forever()

    """#
