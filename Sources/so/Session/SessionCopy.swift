import ArgumentParser
import Runtimes
import Workspaces

/// `so session cp`.
struct SessionCopy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cp", abstract: "Copy files into a session's checkout, or out of it.",
        discussion:
            "One of source and target is <session>:<path>, relative to the checkout; the other a path of this host.")

    @Argument(help: "What is copied: <session>:<path> or <path>.")
    var source: String

    @Argument(help: "Where to: <path> or <session>:<path>.")
    var target: String

    @OptionGroup var place: ProjectDirectory
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let (from, to) = (Self.side(source), Self.side(target))
        guard let side = from ?? to, from == nil || to == nil else {
            throw ValidationError(
                "one of `\(source)` and `\(target)` must be <session>:<path>, the other a path of this host")
        }
        let (service, record) = try await Host.session(side.session, place: place)
        if global.dryRun { return Terminal.output("copy \(source) to \(target)\n") }
        let status = try await service.copy(
            record, from == nil ? .intoService : .outOfService, path: side.path, host: from == nil ? source : target,
            on: .ofThisProcess)
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }

    /// `s-…:path`: a path of this host begins otherwise, or is written ./s-…
    private static func side(_ text: String) -> (session: String, path: String)? {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, parts[0].hasPrefix("s-"), !parts[0].contains("/"), !parts[1].isEmpty else { return nil }
        return (parts[0], parts[1])
    }
}
