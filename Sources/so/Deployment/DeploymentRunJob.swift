import ArgumentParser
import Deployments

/// `so deployment run-job`.
struct DeploymentRunJob: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-job", abstract: "Run one of the stack's jobs anew, print its log, pass its exit code on.")

    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions

    @Argument(help: "The job, as stack.yml names it.")
    var job: String

    func run() async throws {
        let status = try await OpenDeployment.locked(
            directory, verb: "deployment run-job", global: global
        ) { deployment in
            if global.dryRun {
                Terminal.output("run      job      \(try deployment.handle.job(named: job))\n")
                return 0
            }
            let progress = Progress(global: global)
            return try await deployment.handle.runJob(job) {
                progress.handle($0)
            } line: { line in
                Terminal.output(line.text + "\n")
            }
        }
        if status != 0 { throw ExitCode(Int32(truncatingIfNeeded: status)) }
    }
}
