import ArgumentParser
import Deployments
import ExternalTools
import Orchestrator
import Stacks
import Workspaces
import YAML

/// How a command ends when it fails: what is printed, and the exit code (docs/guarantees.md).
enum Failure {
    /// Prints the error to stderr and ends the process.
    static func exit(_ error: any Error, arguments: [String]) -> Never {
        switch error {
        case let error as InvalidInput:
            Diagnoses.print(error.diagnostics)
            end(error.isDenied ? 77 : 65)
        case let error as DeploymentError:
            report(error.description)
            end(code(of: error))
        case let error as StackError:
            report(error.description)
            end(code(of: error))
        case let error as OrchestratorError:
            Diagnoses.print(error.diagnostics)
            report((error.cause.map { "\(error.message): \($0)" } ?? error.message) + hintLine(error.hint))
            end(code(of: error))
        case let error as WorkspaceError:
            report(error.description)
            end(code(of: error))
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

    private static func code(of error: DeploymentError) -> Int32 {
        switch error.code {
        case .failed: 1
        case .unsupported: 65
        case .missing: 66
        case .unavailable: 69
        case .cannotCreate: 73
        case .notPermitted: 77
        case .cancelled: 130
        }
    }

    private static func code(of error: OrchestratorError) -> Int32 {
        switch error.code {
        case .failed, .conflict: 1
        case .invalid: 65
        case .missing: 66
        case .unavailable: 69
        case .cannotCreate: 73
        case .notPermitted: 77
        }
    }

    private static func code(of error: WorkspaceError) -> Int32 {
        switch error.code {
        case .failed: 1
        case .invalid: 65
        case .missing: 66
        case .unavailable: 69
        case .cannotCreate: 73
        case .notPermitted: 77
        case .cancelled: 130
        }
    }

    private static func code(of error: StackError) -> Int32 {
        switch error.code {
        case .ambiguous: 64
        case .refused: 65
        case .notFound: 66
        case .fetchFailed, .noRandomness: 69
        case .localChanges: 1
        case .notPermitted: 77
        }
    }

    private static func report(_ message: String) {
        Terminal.note("error: \(message)")
    }

    private static func end(_ code: Int32) -> Never {
        So.exit(withError: ExitCode(code))
    }
}
