/// Files that the pages load; all of them are our own.
enum Assets {
    static var routes: [Route] {
        [
            asset("so.css", "text/css; charset=utf-8", styles),
            asset("so.js", "text/javascript; charset=utf-8", script),
            asset("so.svg", "image/svg+xml", icon),
        ]
    }

    private static func asset(_ name: String, _ type: String, _ text: String) -> Route {
        Route("GET", "/assets/\(name)") { _ in
            var response = WebResponse(type: type, text)
            response.headers.append(("cache-control", "public, max-age=300"))
            return response
        }
    }

    private static let icon = """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#3b5bdb"/><path d="M4 5h8M4 8h5M4 11h7" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/></svg>
        """

    private static let styles = """
        :root { --ground: #fff; --raised: #f4f5f7; --line: #d5d8de; --text: #1c1e21; --dim: #5a6068; --link: #2b4bc8; --good: #176f2c; --bad: #a61b1b; --accent: #3b5bdb; }
        @media (prefers-color-scheme: dark) { :root { --ground: #15171a; --raised: #1f2226; --line: #3a3f46; --text: #e6e8ea; --dim: #a0a7b0; --link: #9db2ff; --good: #6fd08c; --bad: #ff9a9a; --accent: #5c7cfa; } }
        * { box-sizing: border-box; }
        body { margin: 0; font: 16px/1.5 system-ui, sans-serif; background: var(--ground); color: var(--text); }
        a { color: var(--link); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
        .skip { position: absolute; left: -999px; } .skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem; }
        header { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: center; padding: .6rem 1rem; border-bottom: 1px solid var(--line); background: var(--raised); }
        header form { margin-left: auto; } .brand { font-weight: 700; font-size: 1.2rem; text-decoration: none; }
        nav { display: flex; flex-wrap: wrap; gap: .25rem .9rem; } nav a { text-decoration: none; padding: .2rem 0; } nav a[aria-current] { font-weight: 600; border-bottom: 2px solid var(--accent); }
        main { padding: 1rem; max-width: 90rem; margin: 0 auto; } .narrow { max-width: 28rem; margin: 2rem auto; }
        h1 { font-size: 1.4rem; margin: .3rem 0; overflow-wrap: anywhere; } h2 { font-size: 1.05rem; margin: 1rem 0 .4rem; }
        .bar { display: flex; flex-wrap: wrap; gap: .5rem 1.2rem; align-items: baseline; }
        .board { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; margin-top: .8rem; }
        .board section { background: var(--raised); border-radius: 8px; padding: .2rem .8rem .8rem; } .board ul, ul.plain { list-style: none; margin: 0; padding: 0; }
        .card { background: var(--ground); border: 1px solid var(--line); border-radius: 6px; padding: .5rem .7rem; margin-bottom: .5rem; overflow-wrap: anywhere; } .card > * { display: block; }
        .meta, .help, .who, time { color: var(--dim); font-size: .875rem; } .count { color: var(--dim); font-weight: 400; }
        .step { font-size: .875rem; overflow-wrap: anywhere; } .problem { color: var(--bad); overflow-wrap: anywhere; } .good { color: var(--good); }
        .state { display: inline-block; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .6rem; font-size: .8rem; color: var(--dim); }
        .state.working, .state.preparing, .state.reporting, .state.running { color: var(--link); } .state.done, .state.review { color: var(--good); } .state.failed, .state.escalated, .state.blocked { color: var(--bad); }
        .scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; } th, td { text-align: left; padding: .4rem .7rem .4rem 0; border-bottom: 1px solid var(--line); vertical-align: top; min-width: 4.5rem; overflow-wrap: anywhere; } td:first-child { min-width: 10rem; }
        pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .7rem; overflow: auto; font: .85rem/1.45 ui-monospace, monospace; max-height: 32rem; } pre.issue { white-space: pre-wrap; overflow-wrap: anywhere; }
        .diff { max-height: none; } .diff .add { color: var(--good); } .diff .del { color: var(--bad); } .diff .file { font-weight: 700; } .diff .hunk { color: var(--link); }
        code { font: .9em ui-monospace, monospace; overflow-wrap: anywhere; }
        .facts { display: flex; flex-wrap: wrap; gap: .6rem 2rem; } .facts dt { color: var(--dim); font-size: .8rem; } .facts dd { margin: 0; overflow-wrap: anywhere; }
        .timeline { padding: 0; list-style: none; } .timeline li { padding: .25rem 0 .25rem .8rem; border-left: 2px solid var(--line); overflow-wrap: anywhere; }
        .actions { display: flex; flex-wrap: wrap; gap: .6rem; margin: .6rem 0; } form { margin: 0; }
        label { display: block; margin: .7rem 0 .2rem; font-weight: 600; } input:not([type=hidden]), textarea { width: 100%; max-width: 36rem; display: block; font: inherit; padding: .45rem .6rem; margin-bottom: .7rem; border: 1px solid var(--dim); border-radius: 6px; background: var(--ground); color: var(--text); }
        button, .button { font: inherit; display: inline-block; padding: .4rem 1rem; border-radius: 6px; border: 1px solid var(--accent); background: #3b5bdb; color: #fff; text-decoration: none; cursor: pointer; }
        button.quiet, .button.quiet { background: transparent; color: var(--link); } button.danger { background: transparent; border-color: var(--bad); color: var(--bad); }
        ul.plain li { display: flex; gap: 1rem; align-items: center; justify-content: space-between; padding: .4rem 0; border-bottom: 1px solid var(--line); }
        @media (max-width: 40rem) { .board { grid-template-columns: 1fr; } main { padding: .7rem; } header form { margin-left: 0; } }

        """

    private static let script = """
        "use strict";
        const log = document.getElementById("log");
        if (log && window.EventSource) {
          const source = new EventSource(log.dataset.events + "?place=" + log.dataset.place);
          const state = document.getElementById("state");
          let first = state.textContent;
          source.addEventListener("output", (event) => {
            const below = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
            log.append(JSON.parse(event.data).text);
            if (below) log.scrollTop = log.scrollHeight;
          });
          source.addEventListener("activity", (event) => {
            const item = document.createElement("li");
            item.textContent = JSON.parse(event.data).message;
            document.getElementById("timeline").append(item);
          });
          source.addEventListener("state", (event) => {
            const now = JSON.parse(event.data);
            const step = document.getElementById("step");
            if (step) step.textContent = now.currentStep || "";
            if (now.state !== first) location.reload();
          });
          log.scrollTop = log.scrollHeight;
        }

        """
}
