import ArgumentParser
import Compose
import Deployments
import ExternalTools
import OrderedCollections
import Stacks
import YAML

/// `so deployment restart`.
struct DeploymentRestart: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restart", abstract: "Restart a deployment, after taking over what changed in its stack's source.",
        discussion: """
            What `so deployment update` does, and then every pod is replaced, also those that did not change; jobs that \
            ended well stay. With services, nothing is pulled or updated: only their pods are replaced.
            """)

    @OptionGroup var source: SourceUpdate

    @OptionGroup var grace: GraceOption

    @Argument(help: "Only these services.")
    var services: [String] = []

    func run() async throws {
        guard !services.isEmpty else { return try await source.run(replacesAll: true, graceSeconds: grace.timeout) }
        try await OpenDeployment.locked(source.directory, verb: "deployment restart", global: source.global) {
            deployment in
            let options = try deployment.handle.restartOptions(services, graceSeconds: grace.timeout)
            if source.global.dryRun { return services.forEach { Terminal.output("replace  \($0)\n") } }
            try await deployment.start(options, global: source.global)
        }
    }
}

/// `so deployment update`.
struct DeploymentUpdate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Pull the stack's source, take its changes over, and apply them.",
        discussion: """
            The steps of GitOps: the clone that the stack came from is brought forward at its branch (one that is at a tag or \
            commit stays there; only fast-forwards), and with it the repositories of its pods; the spec is read, from \
            --spec-file, else deployment/spec.yml of the repository, else the deployment's own; the deployment directory is \
            updated as `so deploy create --update` does; the plan is shown, and applied. What did not change keeps running. \
            Volumes, secrets and the namespace stay.

            Host names that are new in http-proxy are looked up, and a wrong one is warned of. With the spec's \
            maintenance-service, all routes lead there while pods are replaced, and always lead back. Where the source has \
            vanished, the deployment is started as it is.
            """,
        aliases: ["pull"])

    @OptionGroup var source: SourceUpdate

    func run() async throws { try await source.run(replacesAll: false, graceSeconds: nil) }
}

/// A deployment brought up to its stack's source.
struct SourceUpdate: ParsableArguments {
    @OptionGroup var directory: DirectoryOption
    @OptionGroup var global: GlobalOptions
    @OptionGroup var legacy: LegacyClusterFlags

    @Option(help: "The spec to take over; a relative path starts here, or at the top of the stack's repository.")
    var specFile: String?

    @Option(help: "The stack's directory (default: where it came from).")
    var stackPath: String?

    @Flag(help: "Take the stack's source as it stands.")
    var noPull = false

    @Option(
        help: ArgumentHelp(
            "Run another image in a service; it stays until `service=` takes it back. Repeat it.",
            valueName: "service=image"))
    var image: [String] = []

    @Flag(help: "Replace every pod, also those that did not change, as a restart does; do not look host names up.")
    var force = false

    @Option(help: "The address that new host names must lead to (default: this host's).")
    var expectedIp: String?

    func validate() throws {
        for entry in image {
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty, parts[1].isEmpty || ImageName(parts[1]) != nil else {
                throw ValidationError("--image takes service=image, and `\(entry)` is none")
            }
        }
    }

    func run(replacesAll: Bool, graceSeconds: Int?) async throws {
        let deployment = try DeploymentDirectory.open(directory.directory)
        if global.dryRun { return try await preview(deployment) }
        let lock = try await deployment.lockForChange(verb: "deployment restart")
        if try deployment.project() == nil { try await takeOver(deployment) }
        let records = try deployment.imageRecords()
        try keepImages(deployment, records)
        let opened: OpenDeployment
        do {
            opened = try OpenDeployment(deployment, global: global, warns: true, allocatesPorts: true)
            try requireServices(opened)
        } catch {
            try deployment.record(records)
            throw error
        }
        if !force { try await warnOfHosts(opened) }
        try await apply(opened, replacesAll: force || replacesAll, graceSeconds: graceSeconds)
        _ = consume lock
    }

    private func takeOver(_ deployment: DeploymentDirectory) async throws {
        let source = source(of: deployment)
        if Files.exists("\(source)/stack.yml"), !noPull { try await pull(source) }
        if let request = try await request(deployment, source) {
            let update = try await deployment.update(from: request, global: global)
            if !global.quiet, update.hasNews { update.report(deployment, isLast: false) }
        }
    }

    private func source(of deployment: DeploymentDirectory) -> String {
        stackPath.map(Files.absolute) ?? deployment.identity.stackSource
    }

    // MARK: Pulling

    /// Brings the stack's clone forward, then the repositories of its pods, which the stack may pin elsewhere now.
    private func pull(_ source: String) async throws {
        let resolver = try Host.resolver()
        var options = FetchOptions()
        options.pulls = true
        let fetcher = RepositoryFetcher(base: resolver.locations.repositoryBase, options: options)
        let progress = FetchProgress(global: global)
        let record = try await fetcher.pull(containing: source) { progress.handle($0, $1) }
        if let record {
            if !global.quiet { progress.handle(record.locator, .finished(record)) }
        } else if global.verbose {
            Terminal.note("\(source) is in no clone with an origin: it is taken as it stands")
        }
        let stack = try resolver.resolve(source)
        guard stack.file.pods.contains(where: { $0.repository != nil }) else { return }
        let needed = try stack.neededRepositories().filter { locator in
            stack.file.pods.contains {
                $0.repository.map { RepositoryLocator($0)?.directory == locator.directory || locator.name == $0 }
                    ?? false
            }
        }
        _ = try await fetcher.fetch(needed) { progress.handle($0, $1) }
        // Clones that `repos` does not name are the operator's own: they are at whichever branch they are at.
        let fetched = needed.map { fetcher.directory(of: $0) }
        let others = Set(stack.pods.compactMap(\.repositoryDirectory)).subtracting(fetched)
        for clone in others.sorted() { _ = try await fetcher.pull(containing: clone) { progress.handle($0, $1) } }
    }

    // MARK: Updating

    /// What to update the deployment from; nil where the stack's source has gone.
    private func request(_ deployment: DeploymentDirectory, _ source: String) async throws -> CreateRequest? {
        guard Files.exists("\(source)/stack.yml") else {
            if let stackPath {
                throw DeploymentError(.missing, "there is no stack in \(stackPath)", hint: "correct --stack-path")
            }
            Terminal.note("\(source) has gone: starting what the deployment holds")
            return nil
        }
        let spec = try await spec(deployment, source)
        if !global.quiet, spec != deployment.specFile { Terminal.note("spec     \(spec)") }
        return try await CreateRequest.make(
            specFile: spec, stack: source, directory: deployment.root, isUpdate: true, global: global)
    }

    private func spec(_ deployment: DeploymentDirectory, _ source: String) async throws -> String {
        let top = await RepositoryFetcher(base: "/").workTree(containing: source)
        guard let specFile else {
            let tracked = top.map { "\($0)/deployment/spec.yml" }
            return tracked.flatMap { Files.exists($0) ? $0 : nil } ?? deployment.specFile
        }
        let here = Files.absolute(specFile)
        if Files.exists(here) { return here }
        if let top, Files.exists("\(top)/\(specFile)"), !specFile.hasPrefix("/") { return "\(top)/\(specFile)" }
        throw DeploymentError(
            .missing, "there is no spec \(here)" + (top.map { " and none at \($0)/\(specFile)" } ?? ""),
            hint: "correct --spec-file")
    }

    private var chosenImages: [(service: String, image: String)] {
        image.map { entry in
            let parts = entry.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            return (parts[0], parts[1])
        }
    }

    private func keepImages(_ deployment: DeploymentDirectory, _ records: ImageRecords) throws {
        guard !image.isEmpty else { return }
        var records = records
        for (service, image) in chosenImages { records.overrides[service] = image.isEmpty ? nil : image }
        try deployment.record(records)
    }

    private func requireServices(_ opened: OpenDeployment) throws {
        let services = opened.loaded.project.environment.keys
        for (service, _) in chosenImages where !services.contains(service) {
            throw DeploymentError(
                .missing, "--image: there is no service \(service)",
                hint: "the services are \(services.joined(separator: ", "))")
        }
    }

    // MARK: Applying

    private func warnOfHosts(_ opened: OpenDeployment) async throws {
        let hosts = opened.loaded.spec.network.httpProxies.map(\.hostName)
        let known = try opened.loaded.directory.rightHosts()
        let new = hosts.filter { !known.contains($0) || expectedIp != nil }
        // A cluster elsewhere has addresses that this host does not know.
        guard !new.isEmpty, expectedIp != nil || opened.loaded.spec.deployTo != .kubernetes else { return }
        let problems = await HostNames(expected: expectedIp.map { [$0] }).problems(new)
        for host in new { if let problem = problems[host] { Terminal.note("warning: http-proxy: \(problem)") } }
        try opened.loaded.directory.record(rightHosts: hosts.filter { problems[$0] == nil })
    }

    private func apply(_ opened: OpenDeployment, replacesAll: Bool, graceSeconds: Int?) async throws {
        var options = StartOptions()
        options.replacesAll = replacesAll
        options.graceSeconds = graceSeconds
        if let maintenance = opened.loaded.spec.maintenanceService?.value {
            options.maintenance = maintenance
            if !opened.handle.canMaintain {
                Terminal.note(
                    "note: maintenance-service has no effect on \(opened.loaded.spec.deployTo?.rawValue ?? "podman"): there is no "
                        + "Ingress to lead elsewhere; a service is away while its pod is replaced")
            }
        }
        if !global.quiet, !replacesAll {
            let changes = try await opened.handle.plan().items.filter { $0.action != .keep }
            if !changes.isEmpty { Terminal.note(Plan(items: changes).description) }
        }
        try await opened.start(options, global: global)
    }

    /// Says which files an update would write, and what a start of the deployment as it is would do. The source is not pulled.
    private func preview(_ deployment: DeploymentDirectory) async throws {
        guard try deployment.project() == nil else {
            return Terminal.output(
                try await OpenDeployment(deployment, global: global).handle.plan().description + "\n")
        }
        let source = source(of: deployment)
        let top = await RepositoryFetcher(base: "/").workTree(containing: source)
        if !noPull, let top { Terminal.output("pull     \(top)\n") }
        if let request = try await request(deployment, source) {
            for path in try deployment.changes(prepareDirectory(request).contents, tree: request.tree) {
                Terminal.output("write    file     \(path)\n")
            }
        }
        for (service, image) in chosenImages {
            Terminal.output("image    \(service)  \(image.isEmpty ? "as in the files" : image)\n")
        }
        let plan = try await OpenDeployment(deployment, global: global).handle.plan()
        Terminal.output(plan.description + "\n")
    }
}
