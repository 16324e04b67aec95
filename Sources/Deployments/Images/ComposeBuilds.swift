import Compose
import ExternalTools
import OrderedCollections
import Runtimes
package import Specs
package import YAML

extension ImageBuild {
    /// Decides how the images of services with a `build` section are built.
    ///
    /// - Parameters:
    ///   - readsEnvironment: whether build secrets may be any variable of the user's environment, because the project is the user's own;
    ///     else only those that the spec names in `env-from-host`.
    ///   - diagnostics: receives an error for a secret that would end in an image, and for a context that is not there.
    package static func ofServices(
        _ project: LayeredProject, options: Options, readsEnvironment: Bool = false, diagnostics: inout Diagnostics
    ) -> [ImageBuild] {
        var result: OrderedDictionary<String, ImageBuild> = [:]
        let readable = readsEnvironment ? nil : Set(project.spec.envFromHost.map(\.value))
        for project in [project.project] + project.jobs.values {
            for service in project.services.values {
                guard let build = service.build else { continue }
                let tag = service.image ?? "\(project.name)-\(service.name)"
                guard result[tag] == nil else { continue }
                var section = BuildSection(build, service: service, project: project, tag: tag, options: options)
                section.readable = readable
                result[tag] = section.decide()
                diagnostics.append(contentsOf: section.diagnostics.list)
            }
        }
        return Array(result.values)
    }
}

/// The `build` section of one service.
private struct BuildSection {
    let build: Build
    let service: Service
    let project: Project
    let tag: String
    let options: ImageBuild.Options
    /// The names that are read from the operator's environment; nil: any.
    var readable: Set<String>? = []
    var diagnostics = Diagnostics()
    private var input: [UInt8]?
    private var bases: [String] = []

    init(_ build: Build, service: Service, project: Project, tag: String, options: ImageBuild.Options) {
        self.build = build
        self.service = service
        self.project = project
        self.tag = tag
        self.options = options
    }

    mutating func decide() -> ImageBuild {
        let context = build.context ?? project.directory
        if context.hasPrefix("/"), !Files.isDirectory(context) {
            diagnostics.error(
                "the build context \(context) of the service '\(service.name)' is not there", at: build.mark,
                hint: "correct `build:`, or fetch the repository that has it")
        }
        var arguments = ["build"]
        if options.forceRebuild || build.noCache == true { arguments.append("--no-cache") }
        if build.pull == true { arguments.append("--pull") }
        arguments += options.extraArguments + settings().arguments + file(context)
        for tag in [tag] + build.tags { arguments += ["-t", tag] }
        arguments += ["--", context]
        var result = ImageBuild(image: tag, tag: tag, command: options.engine.command(arguments, input: input))
        result.bases = bases
        return result
    }

    private mutating func settings() -> [PodmanOption] {
        var result: [PodmanOption] = []
        for (name, value) in build.args {
            guard !value.text.isSecret else {
                diagnostics.error(
                    "the build argument \(name) of '\(service.name)' is a secret, and would stay in the image",
                    at: value.mark,
                    hint: "give it as a build secret, or at run time as a variable")
                continue
            }
            result.append(.whole("--build-arg", "\(name)=\(value.text.masked)"))
        }
        for (name, value) in build.labels { result.append(.whole("--label", "\(name)=\(value)")) }
        if let target = build.target { result.append(.whole("--target", target)) }
        if let network = build.network { result.append(.whole("--network", network)) }
        for platform in build.platforms.prefix(1) { result.append(.element("--platform", platform)) }
        for host in build.extraHosts {
            add(&result, "extra_hosts") { () throws(UnwritablePart) in try .host(host.host, address: host.address) }
        }
        if let size = build.shmSize { result.append(.whole("--shm-size", "\(size)")) }
        for (name, limit) in build.ulimits {
            result.append(.element("--ulimit", "\(name)=\(limit.soft):\(limit.hard)"))
        }
        for image in build.cacheFrom { result.append(.whole("--cache-from", image)) }
        for (name, path) in build.ssh { addLogin(name, path, to: &result) }
        for reference in build.secrets { addSecret(reference, to: &result) }
        for (name, place) in build.additionalContexts {
            result.append(.whole("--build-context", "\(name)=\(context(place))"))
        }
        return result
    }

    /// Adds an option, or names what the engine would read in it as something else.
    private mutating func add(
        _ options: inout [PodmanOption], _ key: String, _ option: () throws(UnwritablePart) -> PodmanOption
    ) {
        do {
            options.append(try option())
        } catch {
            diagnostics.error(
                "build.\(key) of '\(service.name)': \(Node.string(error.part).json(pretty: false)) would be read as more than one thing",
                at: build.mark, hint: "use a name or path without commas, colons, quotes and control characters")
        }
    }

    /// `ssh: [default]` lends the build the keys of the operator's agent, and a path the key in that file.
    private mutating func addLogin(_ name: String, _ path: String, to options: inout [PodmanOption]) {
        let isAllowed = path.isEmpty && readable?.contains("SSH_AUTH_SOCK") == true
        guard readable == nil || isAllowed else {
            return diagnostics.error(
                "build.ssh of '\(service.name)' asks for \(path.isEmpty ? "the keys of your ssh agent" : "the key \(path)")",
                at: service.mark(of: "build.ssh"),
                hint:
                    "if the stack may use your agent, write `ssh: [default]`, name it in the spec, `env-from-host: [SSH_AUTH_SOCK]`, and give --spec-file"
            )
        }
        options.append(.whole("--ssh", path.isEmpty ? name : "\(name)=\(path)"))
    }

    /// `service:web` is the image of another service, which is then built first.
    private mutating func context(_ place: String) -> String {
        for prefix in ["service:", "docker-image://"] where place.hasPrefix(prefix) {
            let name = String(place.dropFirst(prefix.count))
            let image = prefix == "service:" ? project.services[name]?.image ?? "\(project.name)-\(name)" : name
            bases.append(image)
            return "docker-image://" + image
        }
        return place
    }

    private mutating func addSecret(_ reference: FileReference, to options: inout [PodmanOption]) {
        guard let secret = project.secrets[reference.source] else { return }
        let id = reference.target ?? reference.source
        switch secret.source {
        case .file(let path):
            add(&options, "secrets") { () throws(UnwritablePart) in
                try .fields("--secret", [("id", id), ("src", path)])
            }
        case .environment(let name, _) where readable?.contains(name) ?? true:
            add(&options, "secrets") { () throws(UnwritablePart) in
                try .fields("--secret", [("id", id), ("env", name)])
            }
        case .environment(let name, _):
            diagnostics.error(
                "the build secret \(reference.source) reads \(name) of your environment", at: secret.mark,
                hint: "if the stack may have it, name it in the spec, `env-from-host: [\(name)]`, and give --spec-file")
        case .content, .external, .driver:
            diagnostics.error(
                "the build secret \(reference.source) is neither a file nor a variable", at: reference.mark,
                hint: "write `file:` or `environment:` for it")
        }
    }

    private mutating func file(_ context: String) -> [String] {
        let arguments = Dictionary(build.args.map { ($0.key, $0.value.text.masked) }) { $1 }
        if let text = build.dockerfileInline {
            input = Array(text.utf8)
            bases += ContainerfileImages(text, arguments: arguments).references
            return ["-f", "-"]
        }
        guard context.hasPrefix("/") else { return build.dockerfile.map { ["-f", $0] } ?? [] }
        let names =
            build.dockerfile.map { [absolutePath($0, in: context)] }
            ?? ["Dockerfile", "Containerfile"].map { "\(context)/\($0)" }
        guard let file = names.first(where: { Files.exists($0) }) else {
            diagnostics.error(
                "the build of '\(service.name)' has no file: \(names.joined(separator: " or ")) does not exist",
                at: build.mark,
                hint: "add it, or correct `build.dockerfile`")
            return []
        }
        bases += ImageBuild.bases(file, arguments: arguments)
        return ["-f", file]
    }
}
