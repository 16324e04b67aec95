import ArgumentParser
import Deployments
import ExternalTools

/// `so deploy import-legacy`.
struct DeployImportLegacy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-legacy", abstract: "Import a deployment directory that stack-orchestrator made.",
        discussion: """
            Stop it with stack-orchestrator first. The directory becomes one of so's in place: its data, its ids and what \
            its spec says stay, and its own compose files and config are taken as they are; every file that is replaced is kept as <file>.bak; what changes or cannot be taken is listed. \
            --dry-run lists every file with its changes and writes nothing.
            """)

    @Argument(help: "The deployment directory.")
    var directory: String

    @Option(help: "A stack whose files are taken instead of the directory's own.")
    var stack: String?

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let legacy = try await Host.deployments.legacyImport(of: directory, stack: stack)
        Diagnoses.warn(legacy.notes, global: global)
        if global.dryRun { return try preview(legacy) }
        let progress = Progress(global: global)
        let update = try await Host.deployments.perform(legacy) { progress.handle($0) }
        if !global.quiet { report(update, legacy) }
    }

    private func preview(_ legacy: LegacyImport) throws {
        for (path, lines) in try legacy.changes() {
            Terminal.output("write    \(path)\n")
            for line in lines { Terminal.output("  \(line)\n") }
        }
    }

    private func report(_ update: DirectoryUpdate, _ legacy: LegacyImport) {
        update.reportFiles()
        Terminal.note("wrote    deployment.yml (kept deployment.yml.bak)")
        Terminal.note("imported \(legacy.root)")
        for job in legacy.jobs { Terminal.note("the job \(job) is not run by any start: so deployment run-job \(job)") }
        Terminal.note("next: so deployment --dir \(shellQuoted(directory)) start")
    }
}
