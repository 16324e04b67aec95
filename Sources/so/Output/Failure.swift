import ArgumentParser
import ExternalTools
import Runtimes
import YAML

/// How a command ends when it fails: what is printed, and the exit code (docs/guarantees.md).
enum Failure {
    /// Prints the error to stderr and ends the process.
    static func exit(_ error: any Error, arguments: [String]) -> Never {
        switch error {
        case let error as InvalidInput:
            Diagnoses.print(error.diagnostics)
            end(error.isDenied ? 77 : 65)
        case let error as any ReportedError:
            report(error.description)
            end(error.exitCode)
        case let error as CommandFailure:
            report(error.description)
            end(69)
        case is Interrupted, is CancellationError:
            Terminal.note("interrupted" + hintLine("run the same command again to continue from here"))
            end(130)
        case let error as ExitCode:
            end(error.rawValue)
        default:
            guard So.exitCode(for: error) != .success else { So.exit(withError: error) }
            misuse(error, arguments)
        }
    }

    /// Prints an error that does not end the process yet.
    static func print(_ error: DeploymentError) { report(error.description) }

    /// What the argument parser refuses looks like every other error.
    private static func misuse(_ error: any Error, _ arguments: [String]) -> Never {
        let description = Array(So._dumpHelp().utf8)
        let tool = (try? loadYAMLDocument(description, file: "the description of so's arguments")) ?? .map([])
        let problem = UsageProblem(So.message(for: error), arguments: arguments, tool: tool)
        report("\(problem.message)\(hintLine(problem.hint))")
        end(64)
    }

    private static func report(_ message: String) {
        Terminal.note("error: \(message)")
    }

    private static func end(_ code: Int32) -> Never {
        So.exit(withError: ExitCode(code))
    }
}
