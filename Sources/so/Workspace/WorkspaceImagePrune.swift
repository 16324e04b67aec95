import ArgumentParser
import Deployments
import Workspaces

/// `so workspace image prune`.
struct ImagePrune: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "prune", abstract: "Remove the images that no workspace and no session uses.",
        discussion: """
            Those of workspaces, what was built of a project's own Containerfiles, and the egresses of older versions of so. What is missing later is built \
            again.
            """)

    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let context = try Host.workspaces()
        let images = context.images(try ImageEngine.find(environment: Host.environment))
        let gone = try await images.prune(keeping: try context.imagesInUse(), isTrial: global.dryRun)
        for tag in gone { Terminal.output(tag + "\n") }
    }
}
