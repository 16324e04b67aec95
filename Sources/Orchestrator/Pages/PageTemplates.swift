import Mustache

/// The pages' templates. `{{x}}` escapes what it prints; nothing is printed unescaped.
enum PageTemplates {
    static func library() throws -> MustacheLibrary {
        var library = MustacheLibrary()
        for (name, text) in all { library.register(try MustacheTemplate(string: text), named: name) }
        return library
    }

    static let all: [String: String] = [
        "top": top, "bottom": bottom, "login": login, "error": error, "tasks": tasks, "card": card, "task": task,
        "diff": diff, "projects": projects, "agents": agents, "credentials": credentials, "activity": activity,
        "settings": settings,
    ]

    private static let top = """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>{{title}} · so</title>
        <link rel="stylesheet" href="/assets/so.css">
        <link rel="icon" href="/assets/so.svg" type="image/svg+xml">
        {{#live}}<noscript><meta http-equiv="refresh" content="5"></noscript>{{/live}}
        <script src="/assets/so.js" defer></script>
        </head>
        <body>
        <a class="skip" href="#main">Skip to the content</a>
        {{#visitor}}
        <header>
        <a class="brand" href="/tasks">so</a>
        <nav aria-label="Main">
        {{#navigation}}<a href="{{path}}"{{#current}} aria-current="page"{{/current}}>{{name}}</a>
        {{/navigation}}
        </nav>
        <form method="post" action="/logout"><input type="hidden" name="form" value="{{form}}">
        <span class="who">{{login}}</span> <button class="quiet">Sign out</button></form>
        </header>
        {{/visitor}}
        <main id="main">
        """

    private static let bottom = """
        </main>
        </body>
        </html>

        """

    private static let login = """
        {{> top}}
        <section class="narrow">
        <h1>Sign in</h1>
        {{#problem}}<p class="problem" role="alert">{{problem}}</p>{{/problem}}
        {{#oauth}}<p><a class="button" href="/login/forge">Sign in with {{forge}}</a></p>{{/oauth}}
        <form method="post" action="/login">
        <input type="hidden" name="user" value="administrator" autocomplete="username">
        <label for="token">Administrator token</label>
        <input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
        <p class="help">It is in the file <code>administrator.token</code> of the state directory.</p>
        <button>Sign in</button>
        </form>
        </section>
        {{> bottom}}
        """

    private static let error = """
        {{> top}}
        <section class="narrow"><h1>{{heading}}</h1><p>{{message}}</p>{{#hint}}<p class="help">{{hint}}</p>{{/hint}}
        <p><a href="/tasks">To the tasks</a></p></section>
        {{> bottom}}
        """

    private static let card = """
        <li class="card"><a href="/tasks/{{id}}"><strong>{{title}}</strong></a>
        <span class="meta">{{repository}}#{{issue}} · {{agent}}{{#cost}} · {{cost}}{{/cost}}</span>
        {{#step}}<span class="step">{{step}}</span>{{/step}}{{#failure}}<span class="problem">{{failure}}</span>{{/failure}}</li>
        """

    private static let tasks = """
        {{> top}}
        <div class="bar"><h1>Tasks</h1>
        <nav aria-label="View"><a href="/tasks?view=board"{{#board}} aria-current="page"{{/board}}>Board</a>
        <a href="/tasks?view=list"{{#list}} aria-current="page"{{/list}}>List</a></nav></div>
        {{#empty}}<p>No task yet. Set the label <code>{{label}}</code> on an issue of a project to start one.</p>{{/empty}}
        {{#board}}<div class="board">
        {{#columns}}<section aria-label="{{name}}"><h2>{{name}} <span class="count">{{count}}</span></h2>
        <ul>{{#tasks}}{{> card}}{{/tasks}}</ul></section>
        {{/columns}}</div>{{/board}}
        {{#list}}<div class="scroll"><table>
        <thead><tr><th>Task</th><th>Issue</th><th>State</th><th>Agent</th><th>Cost</th><th>Changed</th></tr></thead>
        <tbody>{{#rows}}<tr><td><a href="/tasks/{{id}}">{{title}}</a></td><td>{{repository}}#{{issue}}</td>
        <td><span class="state {{state}}">{{state}}</span></td><td>{{agent}}</td><td>{{cost}}</td><td>{{changed}}</td></tr>
        {{/rows}}</tbody></table></div>
        {{#next}}<p><a href="/tasks?view=list&amp;before={{next}}">Older tasks</a></p>{{/next}}{{/list}}
        {{> bottom}}
        """

    private static let task = """
        {{> top}}
        <div class="bar"><h1>{{title}}</h1><span class="state {{state}}" id="state">{{state}}</span></div>
        <p class="meta"><a href="{{issueURL}}" rel="noreferrer">{{repository}}#{{issue}}</a> · agent {{agent}} · asked for by {{requestedBy}}
        {{#pull}} · <a href="{{pullURL}}" rel="noreferrer">pull request #{{pull}}</a>{{/pull}}</p>
        {{#failure}}<p class="problem" role="alert">{{failure}}</p>{{/failure}}
        {{#credential}}<p><a class="button" href="/credentials">Enter the credential</a></p>{{/credential}}
        {{#step}}<p class="step" id="step">{{step}}</p>{{/step}}
        <div class="actions">
        {{#canStop}}<form method="post" action="/tasks/{{id}}/cancel"><input type="hidden" name="form" value="{{form}}">
        <button class="danger">Stop</button></form>{{/canStop}}
        {{#canRetry}}<form method="post" action="/tasks/{{id}}/retry"><input type="hidden" name="form" value="{{form}}">
        <button>Retry</button></form>{{/canRetry}}
        <a class="button quiet" href="/tasks/{{id}}/diff">Diff</a></div>
        <dl class="facts"><div><dt>Tokens in</dt><dd>{{tokensIn}}</dd></div><div><dt>Tokens out</dt><dd>{{tokensOut}}</dd></div>
        <div><dt>Cost</dt><dd>{{costText}}</dd></div><div><dt>Branch</dt><dd><code>{{branch}}</code></dd></div></dl>
        <section><h2>Log</h2><pre id="log" tabindex="0" aria-label="What the agent wrote" data-events="/api/v1/tasks/{{id}}/events" data-place="{{place}}">{{log}}</pre></section>
        <section><h2>Timeline</h2><ol class="timeline" id="timeline">
        {{#timeline}}<li><time datetime="{{time}}">{{when}}</time> {{#reached}}<span class="state {{reached}}">{{reached}}</span> {{/reached}}<span>{{message}}</span>
        <span class="meta">{{actor}}</span></li>
        {{/timeline}}</ol></section>
        <section><h2>Say more</h2><form method="post" action="/tasks/{{id}}/instructions"><input type="hidden" name="form" value="{{form}}">
        <label for="text">Instruction for the agent</label><textarea id="text" name="text" rows="3" required></textarea><button>Send</button></form></section>
        <details><summary>The issue</summary><pre class="issue">{{body}}</pre></details>
        {{> bottom}}
        """

    private static let diff = """
        {{> top}}
        <div class="bar"><h1>Diff of <a href="/tasks/{{id}}">{{title}}</a></h1></div>
        {{#empty}}<p>Nothing was changed yet.</p>{{/empty}}
        <pre class="diff" tabindex="0">{{#lines}}<span class="{{kind}}">{{text}}</span>
        {{/lines}}</pre>
        {{> bottom}}
        """

    private static let projects = """
        {{> top}}
        <h1>Projects</h1>
        <div class="scroll"><table><thead><tr><th>Repository</th><th>Label</th><th>Agent</th><th>At work</th><th>Waiting</th><th>In review</th><th>This month</th><th>Disk</th></tr></thead>
        <tbody>{{#projects}}<tr><td>{{repository}}</td><td><code>{{label}}</code></td><td>{{agent}}</td><td>{{active}}</td><td>{{waiting}}</td><td>{{review}}</td><td>{{cost}}</td><td>{{disk}}</td></tr>
        {{/projects}}</tbody></table></div>
        {{> bottom}}
        """

    private static let agents = """
        {{> top}}
        <h1>Agents</h1>
        {{#empty}}<p>No workspace is kept.</p>{{/empty}}
        <div class="scroll"><table><thead><tr><th>Session</th><th>State</th><th>Task</th><th>Agent</th><th>Host</th><th>Since</th></tr></thead>
        <tbody>{{#agents}}<tr><td><code>{{session}}</code></td><td><span class="state {{state}}">{{state}}</span></td><td><a href="/tasks/{{task}}">{{task}}</a></td><td>{{profile}}</td><td>{{host}}</td><td>{{since}}</td></tr>
        {{/agents}}</tbody></table></div>
        {{> bottom}}
        """

    private static let credentials = """
        {{> top}}
        <h1>Credentials</h1>
        <p>Values are written and never shown. They go to the egress of an agent's pod, not to the agent.</p>
        {{#saved}}<p class="good" role="status">{{saved}}</p>{{/saved}}
        <ul class="plain">{{#names}}<li><code>{{name}}</code>
        <form method="post" action="/credentials/unset"><input type="hidden" name="form" value="{{form}}"><input type="hidden" name="name" value="{{name}}">
        <button class="danger">Remove</button></form></li>
        {{/names}}</ul>
        {{#empty}}<p>There is none.</p>{{/empty}}
        <form method="post" action="/credentials"><input type="hidden" name="form" value="{{form}}">
        <label for="name">Name</label><input id="name" name="name" required pattern="[A-Za-z_][A-Za-z0-9_]*" placeholder="ANTHROPIC_API_KEY" autocomplete="off">
        <label for="value">Value</label><input id="value" name="value" type="password" required autocomplete="new-password">
        <button>Save</button></form>
        {{> bottom}}
        """

    private static let activity = """
        {{> top}}
        <h1>Activity</h1>
        <ol class="timeline">{{#activity}}<li><time datetime="{{time}}">{{when}}</time> {{#task}}<a href="/tasks/{{task}}">task {{task}}</a> {{/task}}{{#reached}}<span class="state {{reached}}">{{reached}}</span> {{/reached}}<span>{{message}}</span> <span class="meta">{{actor}}</span></li>
        {{/activity}}</ol>
        <h2>Deliveries</h2>
        <div class="scroll"><table><thead><tr><th>When</th><th>Event</th><th>Outcome</th><th>Reason</th></tr></thead>
        <tbody>{{#deliveries}}<tr><td>{{when}}</td><td>{{event}}</td><td>{{outcome}}</td><td>{{reason}}</td></tr>
        {{/deliveries}}</tbody></table></div>
        {{#next}}<p><a href="/activity?deliveries={{next}}">More deliveries</a></p>{{/next}}
        {{> bottom}}
        """

    private static let settings = """
        {{> top}}
        <h1>Settings</h1>
        <p>They are read from <code>{{file}}</code> when the server starts.</p>
        <dl class="facts">{{#settings}}<div><dt>{{name}}</dt><dd>{{value}}</dd></div>{{/settings}}</dl>
        {{> bottom}}
        """
}
