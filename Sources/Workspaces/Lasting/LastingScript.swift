import ExternalTools

/// Process 1 of a lasting workspace's pod: it writes the agent's files, runs the setup where it has changed, and waits.
struct LastingScript {
    var files: [String: [UInt8]]
    /// The project's directory, which the pod has at the same path.
    var project: String
    var setup: [String]
    /// A command that must succeed before anything of the project's or an agent's runs.
    var gate: [String] = []
    var watch = PodWatch()

    var main: String {
        """
        set -u
        umask 022
        run=\(PodPaths.run)
        mkdir -p "$run"
        rm -f "$run/ready" "$run/up"
        trap 'exit 0' TERM INT
        \(RunScript.gateBegin(gate))
        \(RunScript.gateEnd(gate))
        \(RunScript.writing(files))
        cd \(singleQuoted(project)) || exit 70
        if [ ! -e "$run/setup-\(RunScript.digest(of: setup))" ]; then
            \(RunScript.commands(setup))
            : >"$run/setup-\(RunScript.digest(of: setup))"
        fi
        : >"$run/ready"
        \(watch.script(isBusy: "false", end: ":"))

        """
    }

    /// The files of the pod, by name.
    var scripts: [String: [UInt8]] {
        var all = ["main": Array(main.utf8)]
        for (number, path) in files.keys.sorted().enumerated() { all["file-\(number)"] = files[path] }
        return all
    }
}
