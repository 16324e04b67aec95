"""Drives the orchestrator's pages through chromedriver (W3C WebDriver): see scripts/check-pages."""
import base64, http.server, json, os, sqlite3, subprocess, sys, tempfile, threading, time, urllib.request

from orchestrator_server import Forge, Server, free_port

BINARY, PICTURES = sys.argv[1:3]
EVIL = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
problems = []


def check(holds, what):
    print(f"{'ok     ' if holds else 'PROBLEM'}  {what}", flush=True)
    if not holds: problems.append(what)


class Browser:
    def __init__(self, driver, width, scheme):
        self.driver = driver
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--force-prefers-reduced-motion"],
                   "binary": "/usr/bin/chromium"}
        value = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
        self.session = f"/session/{value['sessionId']}"
        self.cdp("Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.cdp("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def call(self, method, path, body=None):
        request = urllib.request.Request(
            self.driver + path, method=method, headers={"Content-Type": "application/json"},
            data=None if method != "POST" else json.dumps(body or {}).encode())
        with urllib.request.urlopen(request, timeout=60) as answer: return json.load(answer)["value"]

    def cdp(self, command, parameters):
        return self.call("POST", f"{self.session}/goog/cdp/execute", {"cmd": command, "params": parameters})

    def go(self, url): self.call("POST", f"{self.session}/url", {"url": url})
    def run(self, script): return self.call("POST", f"{self.session}/execute/sync", {"script": script, "args": []})
    def text(self): return self.run("return document.body.innerText")
    def log(self): return self.call("POST", f"{self.session}/se/log", {"type": "browser"})
    def close(self): self.call("DELETE", self.session)

    def find(self, selector):
        value = self.call("POST", f"{self.session}/element", {"using": "css selector", "value": selector})
        return f"{self.session}/element/{next(iter(value.values()))}"

    def type(self, selector, text): self.call("POST", self.find(selector) + "/value", {"text": text})
    def click(self, selector): self.call("POST", self.find(selector) + "/click")

    def picture(self, name):
        data = self.call("GET", f"{self.session}/screenshot")
        with open(f"{PICTURES}/{name}.png", "wb") as f: f.write(base64.b64decode(data))

    def eventually(self, holds, seconds=10):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if holds(): return True
            time.sleep(0.05)
        return False


def task(database, number, state, title, lease):
    details = {"title": title, "body": EVIL, "issueURL": "https://forge.example/1", "requestedBy": "ada", "acceptanceCriteria": [],
               "relatedFiles": [], "blockedBy": [], "instructions": [], "handed": 0, "rounds": 0, "delays": 0, "branch": f"so/{number}",
               "attempts": 1, "reviews": [], "repairs": {}, "outputMark": 0, "tests": [], "sessionUsage": {}, "currentStep": "runs the tests",
               "usage": {"inputTokens": 123456, "outputTokens": 789, "cost": 1.23}}
    now = time.time()
    database.execute(
        """INSERT INTO tasks (forge, repository_id, repository, issue, intent, state, priority, agent, branch, fence, told, created_at, updated_at,
            details, lease_owner, lease_until, host) VALUES ('github', 7, 'acme/shop', ?, 'implement', ?, 0, 'default', ?, 0, 1, ?, ?, ?, ?, ?,
            'elsewhere')""", (number, state, f"so/{number}", now, now, json.dumps(details), "other" if lease else None, now + 9999 if lease else None))
    database.execute("INSERT INTO output (task, at, text) VALUES (?, ?, ?)", (number, now, f"line of {EVIL}\n" * 30))


def visit(browser, server, name, token):
    url = f"http://127.0.0.1:{server.port}"
    browser.go(url + "/tasks")
    check("Sign in" in browser.text(), f"{name}: who is not signed in is asked to")
    browser.picture(f"{name}-login")
    browser.type("input[name=token]", token)
    browser.click("button[type=submit], form button")
    check(browser.eventually(lambda: "Tasks" in browser.text()), f"{name}: signed in")
    for page in ("tasks", "tasks?view=list", "tasks/1", "tasks/2/diff", "projects", "agents", "credentials", "activity", "settings"):
        browser.go(f"{url}/{page}")
        size = browser.run("return [document.documentElement.scrollWidth, window.innerWidth]")
        check(size[0] <= size[1], f"{name}: /{page} does not scroll sideways ({size[0]} of {size[1]} px)")
        check(browser.run("return document.title") != "owned", f"{name}: /{page} shows text of strangers as text")
        focus = browser.run("return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), textarea')].every(e => e.tabIndex >= 0)")
        check(focus, f"{name}: /{page} is reached by keyboard")
        browser.picture(f"{name}-{page.replace('/', '-').replace('?', '-')}")
    browser.go(f"{url}/credentials")
    browser.type("#name", "ANTHROPIC_API_KEY")
    browser.type("#value", "sk-secret-of-the-page")
    browser.click("form[action='/credentials'] button")
    check(browser.eventually(lambda: "ANTHROPIC_API_KEY" in browser.text()), f"{name}: a credential is entered")
    check("sk-secret-of-the-page" not in browser.run("return document.documentElement.outerHTML"), f"{name}: it is not shown")
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    check((ground == "rgb(255, 255, 255)") == ("light" in name), f"{name}: its colours are those of the scheme ({ground})")


def live(browser, server, token):
    url = f"http://127.0.0.1:{server.port}"
    browser.go(f"{url}/tasks/1")
    request = urllib.request.Request(
        f"{url}/api/v1/tasks/1/instructions", method="POST", data=b'{"text": "in French"}',
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    started = time.monotonic()
    urllib.request.urlopen(request, timeout=10).read()
    seen = browser.eventually(lambda: "was told more" in browser.text())
    check(seen, f"a change is on the open page after {time.monotonic() - started:.2f} s, without a reload")
    browser.click("form[action$='/cancel'] button")
    check(browser.eventually(lambda: "cancelled" in browser.text()), "a task is stopped by its button")
    browser.picture("stopped")


def main():
    os.makedirs(PICTURES, exist_ok=True)
    forge = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forge)
    threading.Thread(target=forge.serve_forever, daemon=True).start()
    port = free_port()
    with tempfile.TemporaryDirectory() as directory:
        driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                  env=dict(os.environ, HOME=directory))
        server = Server(BINARY, directory, f"http://127.0.0.1:{forge.server_port}/api/v3")
        server.start()
        try:
            token = open(f"{directory}/administrator.token").read().strip()
            with sqlite3.connect(f"{directory}/orchestrator.db", timeout=10) as database:
                task(database, 1, "working", f"Working {EVIL} " + "w" * 120, True)
                task(database, 2, "review", "Ready for review", False)
                task(database, 3, "escalated", "A person has to look", False)
            time.sleep(1)
            for width in (400, 1400):
                for scheme in ("light", "dark"):
                    browser = Browser(f"http://127.0.0.1:{port}", width, scheme)
                    visit(browser, server, f"{width}-{scheme}", token)
                    if (width, scheme) == (1400, "dark"): live(browser, server, token)
                    errors = [e["message"] for e in browser.log() if e["level"] == "SEVERE" and " 40" not in e["message"]]
                    check(not errors, f"{width}-{scheme}: the browser has nothing to complain of {errors[:3]}")
                    browser.close()
        finally:
            server.kill()
            driver.terminate()
    print(f"{len(problems)} problems; pictures in {PICTURES}")
    sys.exit(1 if problems else 0)


main()
