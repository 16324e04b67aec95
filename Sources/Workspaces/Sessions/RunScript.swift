import ExternalTools
import SystemCrypto

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
    /// A command that must succeed before anything of the project's or the agent's runs.
    var gate: [String] = []
    var watch = PodWatch()
    /// Where these scripts and files are in the pod.
    var place = PodPaths.scripts

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
        rm -f "$run/ready" "$run/exit" "$run/pid" "$run/runner" "$run/stopping"\(forgetsUp)
        stopped() {
            trap '' TERM INT
            # What ends an agent from now on is the pod's end, not its own.
            [ -e "$run/exit" ] || : >"$run/stopping"
            sh \(place)/stop 2>/dev/null
            exit 0
        }
        trap stopped TERM INT
        \(Self.gateBegin(gate))
        sh -c "$(cat \(place)/clone)" so-clone \(cloneWords) <\(place)/references || {
            echo 'so: the clone failed' >&2
            exit 70
        }
        \(Self.gateEnd(gate))
        \(Self.writing(agent.files, from: place))
        \(globalIdentity)
        cd \(singleQuoted(checkout.directory)) || exit 70
        \(copies)
        if [ ! -e "$run/setup-\(Self.digest(of: setup))" ]; then
            \(Self.commands(setup))
            : >"$run/setup-\(Self.digest(of: setup))"
        fi
        resumes=0
        [ ! -e "$run/started" ] || resumes=1
        export SO_RESUMES=$resumes
        : >"$run/started"
        \(launch)
        : >"$run/ready"
        \(PoolScript.answer(from: place))
        \(watch.script(isBusy: isHeadless ? "[ ! -e \"$run/exit\" ]" : "false", end: "sh \(place)/stop 2>/dev/null"))

        """
    }

    /// A claimed pod that starts again by itself is not brought up again.
    private var forgetsUp: String { place == PodPaths.scripts ? " \"$run/up\"" : "" }

    /// Asked beside the clone, which reaches nothing but the base store.
    static func gateBegin(_ gate: [String]) -> String {
        gate.isEmpty ? ":" : "\(gate.map(singleQuoted).joined(separator: " ")) >\"$run/gate\" 2>&1 & gate=$!"
    }

    /// Ends the pod where the gate did not open.
    static func gateEnd(_ gate: [String]) -> String {
        guard !gate.isEmpty else { return ":" }
        return """
            wait $gate || {
                echo 'so: this pod is to reach its egress and nothing else, and it is otherwise:' >&2
                grep -v '^closed ' "$run/gate" >&2
                echo 'so: does the runtime enforce network policies? Where you accept that it does not: egress: {deny-all: false}' >&2
                exit 72
            }
            """
    }

    /// Names the setup that has run: another one runs again.
    static func digest(of setup: [String]) -> String { String(sha256Hex(setup.joined(separator: "\n")).prefix(16)) }

    private var cloneWords: String {
        checkout.words(start, identity).map(singleQuoted).joined(separator: " ")
    }

    /// Makes the checkout, and lays each folder that a companion shares into its volume. Whole or not at all: what was cut short begins again, since
    /// no agent has worked on it yet.
    func checkoutScript(_ folders: [String: String]) -> String {
        let copies = folders.sorted { $0.key > $1.key }.map { path, volume in
            let from = singleQuoted(path.isEmpty ? "." : "./\(path)")
            return "mkdir -p \(from) && cp -a \(from)/. \(singleQuoted("\(PodPaths.folders)/\(volume)"))/"
        }
        return """
            set -eu
            umask 022
            run=\(PodPaths.run)
            mkdir -p "$run"
            sh -c "$(cat \(PodPaths.scripts)/clone)" so-clone \(cloneWords) <\(PodPaths.scripts)/references
            [ ! -e "$run/folders-done" ] || exit 0
            cd \(singleQuoted(checkout.directory))
            \(copies.joined(separator: "\n"))
            : >"$run/folders-done"

            """
    }

    private var launch: String {
        isHeadless
            ? """
            : >>\(PodPaths.log)
            setsid sh \(place)/agent </dev/null >>\(PodPaths.log) 2>>"$run/errors.log" &
            echo $! >"$run/runner"
            """
            : "tmux -L \(Self.socket) -f \(place)/tmux.conf new-session -d -s agent -x 120 -y 40 sh \(place)/agent"
    }

    /// Writes the agent's files from their places in the pod; those that exist stay.
    static func writing(_ files: [String: [UInt8]], from place: String = PodPaths.scripts) -> String {
        files.keys.sorted().enumerated().map { number, path in
            let (target, parent) = (singleQuoted(path), singleQuoted(parentDirectory(path)))
            return
                "[ -e \(target) ] || { mkdir -p \(parent) && (umask 077; cat \(place)/file-\(number) >\(target)); }"
        }.joined(separator: "\n")
    }

    /// For the repositories that an agent makes or clones besides the checkout.
    private var globalIdentity: String {
        guard let identity else { return ":" }
        return """
            [ -e "$HOME/.gitconfig" ] || {
                git config --global user.name \(singleQuoted(identity.name))
                git config --global user.email \(singleQuoted(identity.email))
            }
            """
    }

    private var copies: String {
        copied.sorted { $0.key < $1.key }.map { path, name in
            let (target, parent) = (singleQuoted("./\(path)"), singleQuoted(Self.parentDirectory("./\(path)")))
            return "[ -e \(target) ] || { mkdir -p \(parent) && cat \(place)/\(name) >\(target); }"
        }.joined(separator: "\n")
    }

    /// Runs the setup's commands with their output in a log, and ends at the first that fails.
    static func commands(_ setup: [String]) -> String {
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

    private static func parentDirectory(_ path: String) -> String {
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
            if [ $code != 0 ] && [ -t 0 ]; then
                printf '\nthe agent ended with exit code %s: press Return to go on ' "$code"
                read -r answer
            fi

            """
    }

    private var signalName: String {
        agent.stopSignal.hasPrefix("SIG") ? String(agent.stopSignal.dropFirst(3)) : agent.stopSignal
    }

    /// Ends the agent as it likes to be ended, then whatever it left.
    var stopScript: String {
        """
        run=\(PodPaths.run)
        pid=
        [ ! -f "$run/pid" ] || pid=$(head -c 20 "$run/pid" | tr -cd 0-9)
        if [ -n "$pid" ] && kill -s \(signalName) "$pid" 2>/dev/null; then
            timeout 10 tail -s 0.05 --pid="$pid" -f /dev/null || kill -s KILL "$pid" 2>/dev/null
        fi
        timeout 5 tmux -L \(Self.socket) kill-server 2>/dev/null
        # What it left behind would write after the work was collected. Process 1 is ours in no other pod.
        case $(tr '\\0' ' ' </proc/1/cmdline) in
        *"\(PodPaths.scripts)/main "* | *"\(PoolScript.claimed)/main "*) ;;
        *) exit 0 ;;
        esac
        everyone() {
            found=
            for place in /proc/[0-9]*; do
                other=${place#/proc/}
                case $other in 1 | $$ | $PPID) continue ;; esac
                # What has ended already and was not waited for has no program.
                [ -e "$place/exe" ] || continue
                # Process 1 goes on sleeping by new ones, which need no time to end.
                if [ "$1" = 0 ] && read -r name <"$place/comm" && [ "$name" = sleep ]; then continue; fi
                kill -s "$1" "$other" 2>/dev/null && found=yes
            done
        }
        everyone TERM
        tries=0
        while [ -n "$found" ] && [ $tries -lt 10 ]; do
            sleep 0.1
            tries=$((tries + 1))
            everyone 0
        done
        everyone STOP
        everyone KILL
        everyone KILL
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
