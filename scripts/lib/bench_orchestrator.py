"""Drives `so orchestrator serve` on 127.0.0.1: see scripts/bench-orchestrator."""
import hashlib, hmac, http.client, http.server, json, sqlite3, sys, tempfile, threading, time

from orchestrator_server import SECRET, Forge, Server

BINARY, SECONDS, RATE = sys.argv[1], int(sys.argv[2]), 200


def row(name, value, goal):
    print(f"{name:<66} {value:>14}   {goal}", flush=True)


def load(server, seconds, prefix, workers=8):
    """Deliveries at a fixed rate, each sent when it is due; returns the times of those answered with 202, and their ids."""
    times, answered, lock = [], set(), threading.Lock()
    begin, total = time.monotonic() + 0.2, RATE * seconds

    def work(worker):
        connection = None
        for number in range(worker, total, workers):
            due = begin + number / RATE
            time.sleep(max(0, due - time.monotonic()))
            name = f"{prefix}-{number}"
            body = json.dumps({"action": "edited", "number": name, "repository": {"id": 7, "full_name": "acme/shop"},
                               "sender": {"login": "eve", "type": "User"},
                               "issue": {"number": 1, "title": "t", "body": "x" * 4000, "state": "open", "labels": [],
                                         "html_url": "http://x/1", "user": {"login": "eve", "type": "User"}}}).encode()
            headers = {"x-github-event": "issues", "x-github-delivery": name, "content-type": "application/json",
                       "x-hub-signature-256": "sha256=" + hmac.new(SECRET, body, hashlib.sha256).hexdigest()}
            for _ in range(200):
                try:
                    connection = connection or http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
                    started = time.monotonic()
                    connection.request("POST", "/webhooks/github", body, headers)
                    response = connection.getresponse()
                    response.read()
                    if response.status == 202:
                        with lock:
                            times.append(time.monotonic() - started)
                            answered.add(name)
                        break
                except (OSError, http.client.HTTPException):
                    connection = None
                    time.sleep(0.02)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(workers)]
    for thread in threads: thread.start()
    return threads, times, answered


def recorded(directory):
    with sqlite3.connect(f"file:{directory}/orchestrator.db?mode=ro", uri=True) as database:
        ids = [r[0] for r in database.execute("SELECT id FROM deliveries")]
    return ids


def main():
    forge = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    threading.Thread(target=forge.serve_forever, daemon=True).start()
    api = f"http://127.0.0.1:{forge.server_port}/api/v3"
    with tempfile.TemporaryDirectory() as directory:
        server = Server(BINARY, directory, api)
        server.start()
        try:
            time.sleep(3)
            before = server.cpu()
            time.sleep(10)
            row("idle server, resident memory", f"{server.status('VmRSS') / 1024:.0f} MB", "<= 40 MB")
            row("idle server, processor over 10 s", f"{(server.cpu() - before) * 10:.2f} %", "0.0 %")
            threads, times, answered = load(server, SECONDS, "calm")
            for thread in threads: thread.join()
            times.sort()
            row(f"webhook to 202, p50 of {len(times)} at {RATE}/s for {SECONDS} s", f"{times[len(times) // 2] * 1000:.1f} ms", "")
            row("webhook to 202, p99", f"{times[int(len(times) * 0.99)] * 1000:.1f} ms", "<= 20 ms")
            lost = len(answered - set(recorded(directory)))
            row("answered and not recorded", f"{lost}", "0")
            threads, times, answered = load(server, SECONDS, "killed")
            kills = 0
            while any(thread.is_alive() for thread in threads):
                time.sleep(min(10, SECONDS / 4))
                if not any(thread.is_alive() for thread in threads): break
                server.kill()
                kills += 1
                server.start()
            ids = recorded(directory)
            row(f"with {kills} kill -9: answered and not recorded", f"{len(answered - set(ids))}", "0")
            row("with kill -9: recorded twice", f"{len(ids) - len(set(ids))}", "0")
            row("memory after both loads", f"{server.status('VmRSS') / 1024:.0f} MB", "")
        finally:
            server.kill()


main()
