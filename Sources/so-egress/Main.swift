import Egress
import FoundationEssentials
import Glibc

/// What runs in the egress pod, and beside it what asks from inside a pod: `probe`, `status`, `log`, `check`.
///
/// There is no side to administer it: who may run a program in its pod reads its log, and nobody else does.
@main
struct Main {
    static func main() async {
        // Process 1 of a pod has no default action for SIGTERM. Every line of the log is written before it counts.
        signal(SIGTERM) { _ in _exit(0) }
        signal(SIGPIPE, SIG_IGN)
        do {
            exit(try await run(Array(CommandLine.arguments.dropFirst())))
        } catch {
            printError("so-egress: \(error)")
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws -> Int32 {
        let rest = Array(arguments.dropFirst())
        switch arguments.first {
        case "run": try await serve(try configuration(rest.first))
        case "status": try printStatus(try configuration(rest.first))
        case "log": try printLog(try configuration(rest.dropFirst().first), from: rest.first.flatMap { Int($0) } ?? 1)
        case "check": return try check(try configuration(rest.first))
        case "addresses": ownAddresses().forEach { print($0) }
        case "surroundings":
            let environment = ProcessInfo.processInfo.environment
            guard let found = EgressSurroundings.find(rest.first ?? "egress", environment: environment) else {
                throw Failed("no address is known for \(rest.first ?? "egress")")
            }
            print(try encoded(found))
        case "probe": return try await probe(rest) ? 0 : 1
        case "gate": return try await gate(rest) ? 0 : 1
        default:
            printError(
                "usage: so-egress run|status|check [FILE] | log [FROM] [FILE] | addresses | surroundings [NAME] | probe open|closed TARGET… | gate ADDRESS:PORT TARGET…"
            )
            return 64
        }
        return 0
    }

    private static func configuration(_ path: String?) throws -> EgressConfiguration {
        let path = path ?? "/run/secrets/egress.json"
        guard let data = FileManager.default.contents(atPath: path) else { throw Failed("\(path) cannot be read") }
        do {
            return try JSONDecoder().decode(EgressConfiguration.self, from: data)
        } catch {
            // The decoder's words could quote a credential.
            throw Failed("\(path) is not a configuration")
        }
    }
}

/// Why the program ends.
struct Failed: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// One write, so that lines of several tasks do not mix.
func printError(_ text: String) {
    let bytes = Array((text + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
}

func encoded(_ value: some Encodable) throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return String(decoding: try encoder.encode(value), as: UTF8.self)
}
