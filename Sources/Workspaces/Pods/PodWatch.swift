import ExternalTools

/// What process 1 of a pod watches while it waits: nothing of it is resident on the host.
///
/// From time to time it asks what the gate asked, and ends a pod that reaches more than its egress by then. And it ends, or marks, a pod in which nobody
/// does anything: a terminal is active when something is typed or printed, the agent's own among them; a command without a terminal until it ends, and
/// so an agent without one.
struct PodWatch: Hashable, Sendable {
    /// So many seconds without any activity are idle; nil: nobody asks.
    var idleSeconds: Int?
    /// Whether the pod ends when it is idle, and stays ended; else it leaves ``idleMark``, for the next command to see.
    var endsWhenIdle = true
    /// The gate's command; empty: there is none.
    var gate: [String] = []
    /// How often the gate is asked again, in seconds.
    var probeSeconds = 300
    /// Where the pod's processes and terminals are seen.
    var processes = "/proc"
    var terminals = "/dev/pts"

    /// What brings the pod up may take its time between two steps; one that has not said within so many seconds that it has ended was killed.
    var bringUpSeconds = 3600

    /// There once whatever brings the pod up has ended: nobody could do anything in it before.
    static let upMark = "\(PodPaths.run)/up"
    /// There while the pod is idle.
    static let idleMark = "\(PodPaths.run)/idle"
    /// The exit code of a pod that was found to reach more than its egress.
    static let isOpen = 72

    private var period: Int {
        max(1, min(30, (idleSeconds ?? 120) / 4, gate.isEmpty ? 30 : probeSeconds))
    }

    /// What the gate does once it has found the egress.
    private var probe: [String] { Array(gate.prefix(1)) + ["probe", "closed"] + gate.dropFirst(3) }

    /// Never returns.
    ///
    /// - Parameters:
    ///   - isBusy: a command that succeeds while something is at work that has no terminal.
    ///   - end: what ends everything else in the pod.
    func script(isBusy: String, end: String) -> String {
        guard idleSeconds != nil || !gate.isEmpty else { return "while :; do sleep 100000 & wait $!; done" }
        return """
            rm -f "$run/idle"
            active=$(date +%s)
            begun=$active
            probed=$active
            # Commands that came through exec have no parent in the pod.
            attended() {
                for process in \(processes)/[0-9]*/stat; do
                    case $process in \(processes)/1/stat) continue ;; esac
                    read -r line <"$process" || continue
                    set -- ${line##*) }
                    [ "$2" = 0 ] && [ "$5" = 0 ] && return 0
                done 2>/dev/null
                return 1
            }
            while :; do
                sleep \(period) & wait $!
                now=$(date +%s)
                \(probing(end))
                \(idling(isBusy, end))
            done
            """
    }

    private func probing(_ end: String) -> String {
        guard !gate.isEmpty else { return ":" }
        return """
            if [ $((now - probed)) -ge \(probeSeconds) ]; then
                probed=$now
                \(probe.map(singleQuoted).joined(separator: " ")) >"$run/probe" 2>&1 & wait $!
                if grep -q '^open ' "$run/probe"; then
                    echo 'so: this pod reaches more than its egress, and is ended:' >&2
                    grep '^open ' "$run/probe" >&2
                    \(end)
                    exit \(Self.isOpen)
                fi
            fi
            """
    }

    private func idling(_ isBusy: String, _ end: String) -> String {
        guard let idleSeconds else { return ":" }
        return """
            if \(isBusy) || attended; then active=$now; fi
            [ -e "$run/up" ] || [ $((now - begun)) -ge \(bringUpSeconds) ] || active=$now
            for time in $(stat -c '%X %Y' \(terminals)/[0-9]* "$run/exit" "$run/up" 2>/dev/null); do
                [ "$time" -le "$active" ] || active=$time
            done
            if [ $((now - active)) -lt \(idleSeconds) ]; then
                rm -f "$run/idle"
            else
                : >"$run/idle"
                \(endsWhenIdle ? "\(end)\n    exit 0" : ":")
            fi
            """
    }
}
