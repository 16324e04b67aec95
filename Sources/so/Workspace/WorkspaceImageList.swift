import ArgumentParser
import Deployments
import Workspaces
import YAML

/// `so workspace image ls`.
struct ImageList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls", abstract: "List the images of workspaces.", aliases: ["list"])

    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let images = try await Host.workspaces().images(try ImageEngine.find(environment: Host.environment)).list()
        Table(
            columns: ["image", "source", "languages", "agent", "megabytes", "created"],
            rows: images.map { image in
                [
                    .string(image.tag), .string(image.source), .string(image.languages), .string(image.agent),
                    .plain("\(image.size / 1_000_000)"), .string(image.created),
                ]
            }
        ).print(output.format)
    }
}
