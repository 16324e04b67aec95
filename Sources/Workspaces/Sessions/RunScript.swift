import ExternalTools

/// The scripts that make process 1 of an agent's pod: it makes the checkout, runs the setup, runs the agent, and ends when it is told to.
///
/// Nothing of it stays resident on the host. The agent runs in tmux, or without a terminal into a log, so that it goes on whoever looks.
struct RunScript {
    var checkout: Checkout
    var start: StartingPoint
    var identity: GitIdentity?
    var agent: AgentRun
    var isHeadless: Bool
    var setup: [String]
    /// By path relative to the checkout: ignored files of the project that the clone gets too, as files below ``PodPaths/scripts``.
    var copied: [String: String] = [:]

    /// The socket's name of tmux in the pod.
    static let socket = "so"

    /// Process 1 of a pod that only waits.
    static let idle = """
        mkdir -p \(PodPaths.run)
        trap 'exit 0' TERM INT
        : >\(PodPaths.run)/ready
        while :; do sleep 100000 & wait $!; done

        """

    /// Process 1.
    var main: String {
        """
        set -u
        umask 022
        run=\(PodPaths.run)
        mkdir -p "$run"
        rm -f "$run/ready" "$run/exit" "$run/pid"
        stopped() {
            trap '' TERM INT
            sh \(PodPaths.scripts)/stop 2>/dev/null
            exit 0
        }
        trap stopped TERM INT
        pause() { while :; do sleep 100000 & wait $!; done; }
        sh -c "$(cat \(PodPaths.scripts)/clone)" so-clone \(cloneWords) <\(PodPaths.scripts)/references || {
            echo 'so: the clone failed' >&2
            exit 70
        }
        \(writtenFiles)
        cd \(singleQuoted(checkout.directory)) || exit 70
        \(copies)
        if [ ! -e "$run/setup-done" ]; then
            \(setupLines)
            : >"$run/setup-done"
        fi
        resumes=0
        [ ! -e "$run/started" ] || resumes=1
        export SO_RESUMES=$resumes
        : >"$run/started"
        \(launch)
        : >"$run/ready"
        pause

        """
    }

    private var cloneWords: String {
        checkout.words(start, identity).map(singleQuoted).joined(separator: " ")
    }

    private var launch: String {
        isHeadless
            ? "setsid sh \(PodPaths.scripts)/agent </dev/null >>\(PodPaths.log) 2>>\"$run/errors.log\" &"
            : "tmux -L \(Self.socket) -f \(PodPaths.scripts)/tmux.conf new-session -d -s agent -x 120 -y 40 sh \(PodPaths.scripts)/agent"
    }

    private var writtenFiles: String {
        agent.files.keys.sorted().enumerated().map { number, path in
            let (target, parent) = (singleQuoted(path), singleQuoted(parentDirectory(path)))
            return
                "[ -e \(target) ] || { mkdir -p \(parent) && (umask 077; cat \(PodPaths.scripts)/file-\(number) >\(target)); }"
        }.joined(separator: "\n")
    }

    private var copies: String {
        copied.sorted { $0.key < $1.key }.map { path, name in
            let (target, parent) = (singleQuoted("./\(path)"), singleQuoted(parentDirectory("./\(path)")))
            return "[ -e \(target) ] || { mkdir -p \(parent) && cat \(PodPaths.scripts)/\(name) >\(target); }"
        }.joined(separator: "\n")
    }

    private var setupLines: String {
        guard !setup.isEmpty else { return ":" }
        return setup.map { line in
            """
            printf '%s\\n' \(singleQuoted("$ \(line)")) >>"$run/setup.log"
            sh -c \(singleQuoted(line)) </dev/null >>"$run/setup.log" 2>&1 || {
                echo "so: setup failed with exit code $?:" \(singleQuoted(line)) >&2
                tail -n 20 "$run/setup.log" >&2
                exit 71
            }
            """
        }.joined(separator: "\n")
    }

    private func parentDirectory(_ path: String) -> String {
        path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// What runs the agent, and writes down how it ended.
    var agentScript: String {
        let (first, again) = isHeadless ? (agent.headless, agent.headlessResume) : (agent.interactive, agent.resume)
        let words = first.map(singleQuoted).joined(separator: " ")
        let resumed = (again ?? first).map(singleQuoted).joined(separator: " ")
        return """
            cd \(singleQuoted(checkout.directory)) || exit 70
            run=\(PodPaths.run)
            if [ "${SO_RESUMES:-0}" = 1 ]; then set -- \(resumed); else set -- \(words); fi
            sh -c 'echo $$ >"$0"; exec "$@"' "$run/pid" "$@"
            code=$?
            echo $code >"$run/exit.new"
            mv "$run/exit.new" "$run/exit"

            """
    }

    private var signalName: String {
        agent.stopSignal.hasPrefix("SIG") ? String(agent.stopSignal.dropFirst(3)) : agent.stopSignal
    }

    /// Ends the agent as it likes to be ended, then whatever it left.
    var stopScript: String {
        """
        run=\(PodPaths.run)
        pid=$(cat "$run/pid" 2>/dev/null)
        if [ -n "$pid" ] && kill -s \(signalName) "$pid" 2>/dev/null; then
            timeout 10 tail -s 0.05 --pid="$pid" -f /dev/null || kill -s KILL "$pid" 2>/dev/null
        fi
        tmux -L \(Self.socket) kill-server 2>/dev/null
        exit 0

        """
    }

    /// No key of a CLI's own is taken but Ctrl-], behind which `d` leaves the agent at work.
    static let tmuxConfiguration = """
        set -g prefix C-]
        unbind C-b
        bind C-] send-prefix
        bind d detach-client
        set -g status off
        set -g mouse off
        set -s escape-time 0
        set -g history-limit 50000
        set -g default-terminal tmux-256color
        set -ga terminal-overrides ',*:RGB'
        set -g focus-events on
        set -g set-clipboard on
        set -g window-size latest

        """
}
