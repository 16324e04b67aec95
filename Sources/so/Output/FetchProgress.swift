import Glibc
import Specs
import Stacks
import Synchronization
import YAML

/// Shows what becomes of repositories: a line for each end of work, and on a terminal one that says what goes on.
final class FetchProgress: Sendable {
    private let live = Mutex(false)
    private let isLive: Bool
    private let isQuiet: Bool

    init(global: GlobalOptions) {
        isQuiet = global.quiet
        isLive = Terminal.isLive && !global.quiet && !global.debug
    }

    func handle(_ locator: RepositoryLocator, _ event: FetchEvent) {
        guard !isQuiet else { return }
        switch event {
        case .cloning: line("cloning   \(locator)")
        case .fetching: line("fetching  \(locator.repository)")
        case .transferring(let text): status("\(locator.name): \(text)")
        case .failed: line("failed    \(locator)")
        case .finished(let record):
            let notes = record.notes.map { " — \($0)" }.joined()
            line("\(record.state.rawValue.padded(to: 9)) \(locator.repository) at \(record.place)\(notes)")
        }
    }

    private func line(_ text: String) {
        live.withLock { isDrawn in
            Terminal.error((isDrawn ? "\r\u{1B}[2K" : "") + printable(text) + "\n")
            isDrawn = false
        }
    }

    private func status(_ text: String) {
        guard isLive else { return }
        live.withLock { isDrawn in
            Terminal.error("\r\u{1B}[2K" + Terminal.fitted(printable(text)))
            isDrawn = true
        }
    }
}

extension String {
    /// The text with blanks behind it up to a width.
    func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
