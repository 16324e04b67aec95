"""A server of `so orchestrator serve` on 127.0.0.1, and a forge that has nothing for it to do."""
import http.server, json, os, signal, socket, subprocess, time

SECRET = b"secret-of-the-bench"


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Forge(http.server.BaseHTTPRequestHandler):
    """As much of GitHub as a server asks that has nothing to do."""
    protocol_version = "HTTP/1.1"

    def log_message(self, *_): pass

    def do_GET(self):
        path = self.path.split("?")[0]
        if path.endswith("/user"): body = {"login": "so-bot", "id": 1}
        elif path.endswith("/permission"): body = {"permission": "read"}
        elif path.endswith("/issues"): body = []
        else: body = {"id": 7, "full_name": "acme/shop", "default_branch": "main"}
        data = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Server:
    def __init__(self, binary, directory, api, store=None):
        self.binary, self.directory, self.port, self.process = binary, directory, free_port(), None
        for name, text in (("webhook", SECRET.decode()), ("token", "t")):
            path = f"{directory}/{name}"
            with open(path, "w") as f: f.write(text)
            os.chmod(path, 0o600)
        with open(f"{directory}/orchestrator.yml", "w") as f:
            f.write(f"listen: 127.0.0.1:{self.port}\nurl: http://127.0.0.1:{self.port}\n")
            if store: f.write(f"store: {store}\n")
            f.write(f"forge: {{kind: github, api: {api}, webhook-secret-file: webhook, token-file: token}}\n")
            f.write("projects: [{repository: acme/shop}]\n")

    def start(self):
        environment = dict(os.environ, HOME=self.directory)
        self.process = subprocess.Popen(
            [self.binary, "orchestrator", "serve", "--config", f"{self.directory}/orchestrator.yml"], env=environment,
            stderr=open(f"{self.directory}/log", "a"))
        for _ in range(1000):
            try:
                with socket.create_connection(("127.0.0.1", self.port), 1): return
            except OSError: time.sleep(0.01)
        raise SystemExit(open(f"{self.directory}/log").read())

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def status(self, field):
        for line in open(f"/proc/{self.process.pid}/status"):
            if line.startswith(field): return int(line.split()[1])

    def cpu(self):
        fields = open(f"/proc/{self.process.pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
