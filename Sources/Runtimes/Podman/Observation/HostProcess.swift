/// A process of this host.
enum HostProcess {
    /// Whether it runs. One that has ended and that its parent has not waited for yet does not, although it has its number still.
    static func runs(_ process: Int32) -> Bool {
        // The name stands in parentheses and may hold some itself; the state follows the last one:
        // https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
        guard let stat = try? Files.read("/proc/\(process)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")")),
            end + 2 < stat.count
        else { return false }
        return ![UInt8(ascii: "Z"), UInt8(ascii: "X")].contains(stat[end + 2])
    }

    /// Whether a name of something half done ends with, or is, the number of a process that can go on with it no more. False where it is no number.
    static func hasEnded(_ number: some StringProtocol) -> Bool { Int32(number).map { !runs($0) } ?? false }
}
