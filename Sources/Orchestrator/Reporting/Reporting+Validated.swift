package import AgentLoop
import Specs
import Workspaces
import YAML

extension Reporting {
    /// Reads what an agent wrote: every problem is told with its line, and a report with any is refused whole.
    ///
    /// - Throws: `OrchestratorError` (`invalid`).
    package static func validated(_ bytes: [UInt8], file: String) throws(OrchestratorError) -> Reporting {
        do {
            let node = try loadYAMLDocument(bytes, file: file, limits: .exchange)
            var validation = Validation()
            validation.check(node, .reporting, at: "")
            try validation.diagnostics.throwIfErrors()
            return try Reporting(bytes, file: file)
        } catch {
            throw OrchestratorError(
                .invalid, "\(file) is not a report of an agent", hint: "so schema reporting shows its form",
                diagnostics: Array(error.diagnostics.prefix(20)))
        }
    }
}
