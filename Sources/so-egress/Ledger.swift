import Egress
import FoundationEssentials
import Glibc
import Synchronization

/// The log on disk and what it adds up to. A line is written before what it says counts.
final class Ledger: Sendable {
    private struct State {
        var accounts: Accounts
        let descriptor: Int32
    }

    private let state: Mutex<State>

    /// Takes up the log that an earlier run left.
    init(_ configuration: EgressConfiguration) throws {
        let path = Ledger.path(configuration)
        var accounts = Accounts(configuration)
        for entry in Ledger.entries(path) { accounts.apply(entry) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Failed("\(path): \(String(cString: strerror(errno)))") }
        // A line that a crash cut short ends here.
        Ledger.endLine(path, descriptor)
        state = Mutex(State(accounts: accounts, descriptor: descriptor))
        record { $0.start(time: now()) }
    }

    static func path(_ configuration: EgressConfiguration) -> String { configuration.stateDirectory + "/egress.log" }

    /// All whole lines of a log.
    static func entries(_ path: String) -> [LogEntry] {
        guard let data = FileManager.default.contents(atPath: path) else { return [] }
        let decoder = JSONDecoder()
        return data.split(separator: UInt8(ascii: "\n")).compactMap { try? decoder.decode(LogEntry.self, from: $0) }
    }

    private static func endLine(_ path: String, _ descriptor: Int32) {
        guard let last = FileManager.default.contents(atPath: path)?.last, last != UInt8(ascii: "\n") else { return }
        _ = write(descriptor, "\n", 1)
    }

    func deny(_ name: String, _ reason: DenialReason) {
        record { $0.deny(name, reason, time: now()) }
    }

    /// Nil: the budget is used up, with the words to say so.
    func reserve(_ body: RequestBody) -> (Accounts.Reservation?, message: String) {
        state.withLock { state in
            let reservation = state.accounts.reserve(
                model: body.model, requestBytes: body.bytes.count, outputLimit: body.outputLimit)
            if reservation == nil { append(state.accounts.refusal(time: now()), state.descriptor) }
            return (reservation, state.accounts.refusalMessage)
        }
    }

    func release(_ reservation: Accounts.Reservation) { state.withLock { $0.accounts.release(reservation) } }

    func settle(_ result: UsageReader.Result, provider: String, model: String?, status: Int) {
        record { $0.settle(result, provider: provider, model: model, status: status, time: now()) }
    }

    private func record(_ body: (inout Accounts) -> LogEntry?) {
        state.withLock { state in
            if let entry = body(&state.accounts) { append(entry, state.descriptor) }
        }
    }
}

private func append(_ entry: LogEntry, _ descriptor: Int32) {
    guard let line = try? encoded(entry) + "\n" else { return }
    let bytes = Array(line.utf8)
    if write(descriptor, bytes, bytes.count) != bytes.count { printError("so-egress: the log cannot be written") }
}

private func now() -> Int { time(nil) }
