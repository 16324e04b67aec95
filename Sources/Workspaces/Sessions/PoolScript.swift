import ExternalTools

/// Process 1 of a pod that waits in a pool, or whose runtime mounts nothing of this host: it goes through the gate, waits until somebody claims it, and
/// becomes the session that was asked for.
///
/// No agent runs in it while it waits. What an earlier bringing up of the same session has left in its home is told by the generation.
struct PoolScript {
    private let script: RunScript

    init(_ script: RunScript) { self.script = script }

    /// Where a claim's scripts are written in the pod.
    static let claimed = "\(PodPaths.run)/claim"

    private var main: String {
        """
        set -u
        umask 077
        run=\(PodPaths.run)
        mkdir -p "$run"
        if [ -s \(Self.claimed)/generation ] && cmp -s \(Self.claimed)/generation \(PodPaths.scripts)/generation; then
            \(RunScript.gateBegin(script.gate))
            \(RunScript.gateEnd(script.gate))
            exec sh \(Self.claimed)/main
        fi
        rm -rf \(Self.claimed) "$run/ready" "$run/up"
        mkdir \(Self.claimed)
        mkfifo \(Self.claimed)/begin \(Self.claimed)/end
        trap 'exit 0' TERM INT
        \(RunScript.gateBegin(script.gate))
        \(RunScript.gateEnd(script.gate))
        : >"$run/ready"
        cat \(Self.claimed)/begin >/dev/null & wait $!
        rm -f "$run/ready"
        exec sh \(Self.claimed)/main

        """
    }

    /// The files of the pod, by name.
    ///
    /// - Parameter generation: tells this bringing up of the pod from the next; nil: a pod that starts again waits again.
    func scripts(_ generation: String?) -> [String: [UInt8]] {
        var files = ["main": Array(main.utf8), "stop": Array(script.stopScript.utf8)]
        if let generation { files["generation"] = Array(generation.utf8) }
        return files
    }

    /// Tells whoever has claimed the pod that its agent has been started; nothing where it was not claimed.
    static func answer(from place: String) -> String {
        place == claimed ? "echo ready >\(claimed)/end &" : ":"
    }

    /// Writes the files of a claim from standard input, each behind a line `name size`, and waits until the agent has been started. The generation,
    /// by which a pod that starts again knows its claim, counts once all the others are there.
    static let claim = """
        set -eu
        umask 077
        cd \(claimed)
        while read -r name size; do head -c "$size" >"$name"; done
        [ ! -e new-generation ] || mv new-generation generation
        echo >begin
        cat end
        """

    /// What ``claim`` reads.
    static func input(_ files: [String: [UInt8]]) -> [UInt8] {
        files.sorted { $0.key < $1.key }.flatMap { name, bytes in Array("\(name) \(bytes.count)\n".utf8) + bytes }
    }
}
