"""Runs schemathesis against `so orchestrator serve`: see scripts/check-api."""
import http.server, sqlite3, subprocess, sys, tempfile, threading, time

from orchestrator_server import Forge, Server

BINARY, SCHEMATHESIS, EXAMPLES = sys.argv[1:4]


def main():
    forge = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    threading.Thread(target=forge.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        server = Server(BINARY, directory, f"http://127.0.0.1:{forge.server_port}/api/v3")
        server.start()
        try:
            token = open(f"{directory}/administrator.token").read().strip()
            # A task to ask for; the agents' CLI is not there, so that nothing runs.
            with sqlite3.connect(f"{directory}/orchestrator.db", timeout=10) as database:
                database.execute(
                    """INSERT INTO tasks (forge, repository_id, repository, issue, intent, state, priority, agent, branch,
                        fence, told, created_at, updated_at, details) VALUES ('github', 7, 'acme/shop', 1, 'implement',
                        'cancelled', 0, 'default', 'so/1', 0, 1, ?, ?, ?)""",
                    (time.time(), time.time(),
                     '{"title":"t","body":"b","issueURL":"","requestedBy":"ada","acceptanceCriteria":[],"relatedFiles":[],'
                     '"blockedBy":[],"instructions":[],"handed":0,"rounds":0,"delays":0,"branch":"so/1","attempts":0,'
                     '"reviews":[],"repairs":{},"outputMark":0,"tests":[],"sessionUsage":{},'
                     '"usage":{"inputTokens":0,"outputTokens":0,"cost":0}}'))
            url = f"http://127.0.0.1:{server.port}"
            status = subprocess.run(
                [SCHEMATHESIS, "run", f"{url}/api/v1/openapi.json", "--url", url, "-H", f"Authorization: Bearer {token}",
                 "--max-examples", EXAMPLES, "--request-timeout", "10", "--exclude-operation-id", "followTask",
                 "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,"
                 "response_schema_conformance,unsupported_method,negative_data_rejection"]).returncode
            alive = server.process.poll() is None
            print("the server is alive" if alive else open(f"{directory}/log").read())
            sys.exit(status or (0 if alive else 1))
        finally:
            server.kill()


main()
