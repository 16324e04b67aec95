import ArgumentParser
import Deployments
import Runtimes
import Specs

/// A deployment brought up to its stack's source.
struct SourceUpdateOptions: ParsableArguments {
    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions
    @OptionGroup var legacy: LegacyClusterFlags

    @Option(help: "The spec to take over; a relative path starts here, or at the top of the stack's repository.")
    var specFile: String?

    @Option(help: "The stack's directory (default: where it came from).")
    var stackPath: String?

    @Flag(help: "Take the stack's source as it is.")
    var noPull = false

    @Option(
        help: ArgumentHelp(
            "Run another image in a service; it stays until `service=` takes it back. Repeat it.",
            valueName: "service=image"))
    var image: [String] = []

    @Flag(help: "Replace every pod, also those that did not change, as a restart does; do not look host names up.")
    var force = false

    @Option(help: "The address that new host names must resolve to (default: this host's).")
    var expectedIp: String?

    func validate() throws {
        for entry in image {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, parts[1].isEmpty || ImageName(parts[1]) != nil else {
                throw ValidationError("--image takes service=image, not `\(entry)`")
            }
        }
    }

    func run(replacesAll: Bool, graceSeconds: Int?) async throws {
        let deployment = try directory.open()
        var update = update
        update.replacesAll = force || replacesAll
        update.graceSeconds = graceSeconds
        let progress = Progress(global: global, showsPlan: !update.replacesAll)
        if global.dryRun {
            return print(try await Host.deployments.preview(deployment, update) { progress.handle($0) })
        }
        let result = try await Host.deployments.update(deployment, update) { progress.handle($0) }
        Terminal.note(result, global: global)
    }

    private var update: SourceUpdate {
        var update = SourceUpdate()
        update.specFile = specFile
        update.stackPath = stackPath
        update.pulls = !noPull
        update.images = images
        update.checksHosts = !force
        update.expectedAddress = expectedIp
        return update
    }

    private var images: [(service: String, image: String)] {
        image.map { entry in
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts[1])
        }
    }

    private func print(_ preview: UpdatePreview) {
        if let pulled = preview.pulled { Terminal.output("pull     \(pulled)\n") }
        for path in preview.files { Terminal.output("write    file     \(path)\n") }
        for (service, image) in images {
            Terminal.output("image    \(service)  \(image.isEmpty ? "as in the files" : image)\n")
        }
        Terminal.output(preview.plan.description + "\n")
    }
}
