import ArgumentParser
import Deployments
import Workspaces
import YAML

/// `so workspace image verify`.
struct ImageVerify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Check that the project's image has what was asked for.")

    @OptionGroup var definition: DefinitionOptions
    @OptionGroup var place: ProjectDirectory
    @OptionGroup var output: OutputOption
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        let recipe = try Host.workspaces().recipe(try place.project, flags: definition.flags)
        let images = try Host.workspaces().images(try ImageEngine.find(environment: Host.environment))
        guard try await images.has(recipe) else {
            throw WorkspaceError(.missing, "\(recipe.tag) is not built", hint: "build it: so workspace image build")
        }
        let results = try await images.verify(recipe)
        Table(
            columns: ["check", "sound", "output"],
            rows: results.map { result in
                let line = result.output.split(separator: "\n").first.map(String.init) ?? ""
                return [.string(result.check), .plain("\(result.isSound)"), .string(line)]
            }
        ).print(output.format)
        let failed = results.filter { !$0.isSound }.map(\.check)
        guard failed.isEmpty else {
            throw WorkspaceError(
                .failed, "\(recipe.tag) fails: \(failed.joined(separator: ", "))",
                hint: "build it again: so workspace image build --update")
        }
    }
}
