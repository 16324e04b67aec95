/// Where `so` keeps what outlives a command and belongs to no deployment of the operator's: the output of builds, what `so deploy up` runs, the
/// routes of this host. The base directory specification has relative values ignored: https://specifications.freedesktop.org/basedir-spec/latest/
package func hostStateDirectory(_ environment: [String: String]) -> String {
    if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") { return state + "/so" }
    return (environment["HOME"] ?? "/root") + "/.local/state/so"
}
