import ArgumentParser
import Deployments
import Runtimes

/// `so deployment run-job`.
struct DeploymentRunJob: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-job", abstract: "Run one of the stack's jobs again, print its log, pass its exit code on.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Argument(help: "The job, as stack.yml names it.")
    var job: String

    func run() async throws {
        if global.dryRun {
            let name = try Host.read(directory, global: global).handle.job(named: job)
            return Terminal.output("run      job      \(name)\n")
        }
        let progress = Progress(global: global)
        let status = try await Host.deployments.runJob(job, of: directory.open()) {
            progress.handle($0)
        } line: { line in
            Terminal.passOn(line.text + "\n")
        }
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
