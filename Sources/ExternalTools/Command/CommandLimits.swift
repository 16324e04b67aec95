extension Command {
    /// The same program, which may take no more memory and processor time than that: it reads what somebody untrusted has made, and a few bytes of
    /// it can stand for anything.
    ///
    /// - Parameters:
    ///   - memory: address space, in bytes.
    ///   - seconds: of processor time; a program that takes more dies of SIGXCPU.
    package func limited(memory: Int = 4 << 30, seconds: Int = 600) -> Command {
        var command = self
        command.arguments = ["-c", Self.limiting, "so-limited", "\(memory >> 10)", "\(seconds)", program] + arguments
        command.program = "sh"
        return command
    }

    private static let limiting = #"ulimit -v "$1" && ulimit -t "$2" && shift 2 && exec "$@""#
}
