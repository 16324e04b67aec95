import ArgumentParser
import Compose
import Deployments
import Runtimes
import Specs
import YAML

/// `so ps`.
struct Ps: ProjectVerb {
    static let configuration = CommandConfiguration(
        commandName: "ps", abstract: "List the project's pods with their ports.",
        discussion: "With --all, also what ended, what does not exist, and what `so run` has left.")

    @OptionGroup var place: PlaceOptions

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("table, json or yaml.", valueName: "format"))
    var output: OutputFormat?

    @Option(
        help: ArgumentHelp("table, or json: as docker compose has it, a line for each container.", valueName: "format"))
    var format: OutputFormat?

    @OptionGroup var listing: PodListing
    @OptionGroup var global: GlobalOptions

    func run() async throws {
        guard let deployment = try place.deployment(naming: listing.services) else {
            return Terminal.note("nothing of it runs: so up")
        }
        let opened = try Host.read(deployment, global: global)
        let isCompose = format == .json && output == nil && !listing.namesOnly && !listing.servicesOnly
        // Only compose's form tells of health.
        var all = try await isCompose ? opened.handle.status() : opened.handle.ps()
        if listing.all { all += try await opened.handle.oneOffs() }
        let pods = try listing.chosen(all, opened.handle, hidesEnded: true)
        guard isCompose else { return listing.print(pods, output ?? format ?? .table, global: global) }
        let project = opened.loaded.project.project.name
        for pod in pods where ![.absent, .scheduled].contains(pod.state) {
            Terminal.output(pod.composeNode(project: project).json() + "\n")
        }
    }
}
