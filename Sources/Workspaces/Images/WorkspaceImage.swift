package import Compose
import ExternalTools
import OrderedCollections
import SystemCrypto
import YAML

/// Decides the image of a workspace.
package enum WorkspaceImage {
    /// - Parameters:
    ///   - owner: the numbers that processes of the pod get; see ``WorkspaceDefinition/podUser(of:isLasting:)``.
    ///   - template: the variables of the definition's template; nil where it has none.
    /// - Throws: ``WorkspaceError`` or `InvalidInput`; nothing has been made then.
    package static func resolve(
        _ definition: WorkspaceDefinition, project: Project, agent: AgentLayer, owner: PodUser,
        settings: UserSettings = UserSettings(), template: (Template, TemplateVariables)? = nil, tree: FileTree = .disk
    ) throws -> ImageRecipe {
        try checkTogether(definition)
        var base: BaseBuild?
        let beginning: String
        switch definition.source {
        case .image(let image): beginning = "FROM \(image)"
        case .build(let build):
            let decided = try BaseBuild(build, project: project, tree: tree)
            base = decided
            beginning = "FROM \(decided.tag)"
        case .template:
            var diagnostics = Diagnostics()
            let text = template?.1.containerfile(diagnostics: &diagnostics)
            try diagnostics.throwIfErrors()
            beginning = text ?? "FROM \(settings.baseImage ?? settings.official("debian:bookworm-slim"))"
        }
        let text = ContainerfileText(
            beginning: beginning, definition: definition, settings: settings, user: owner, agent: agent
        ).text
        var recipe = ImageRecipe(containerfile: text, contextFiles: agent.contextFiles, base: base, tag: "")
        recipe.checks = (template?.0.checks ?? []) + definition.languages.keys.compactMap { Language.named($0)?.check }
        recipe.labels = labels(definition, agent)
        recipe.tag = "\(ImageRecipe.repository):\(try recipe.digest(tree).prefix(24))"
        return recipe
    }

    private static func labels(_ definition: WorkspaceDefinition, _ agent: AgentLayer) -> OrderedDictionary<
        String, String
    > {
        let source =
            switch definition.source {
            case .template(let name): "template \(name)"
            case .image(let image): "image \(image)"
            case .build(let build): "build \(build.context)"
            }
        let languages = definition.languages.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return [
            WorkspaceImages.label: "true", "so.workspace.source": source, "so.workspace.languages": languages,
            "so.workspace.tools": definition.tools.joined(separator: ", "), "so.workspace.agent": agent.agent,
        ]
    }

    private static func checkTogether(_ definition: WorkspaceDefinition) throws(WorkspaceError) {
        guard definition.frameworks.contains(Framework.playwright.rawValue),
            definition.languages["node"] == nil, definition.languages["python"] == nil
        else { return }
        throw WorkspaceError(
            .invalid, "\(definition.origin(of: "frameworks").mark): playwright needs node or python",
            hint: "add `languages: {node: \"22\"}`")
    }
}

extension WorkspaceDefinition {
    /// The numbers that processes of the pod run as.
    ///
    /// - Throws: ``WorkspaceError`` for a lasting workspace of a project that belongs to root: an agent never gets root's files by accident.
    package func podUser(of project: Project, isLasting: Bool) throws(WorkspaceError) -> PodUser {
        if let user {
            guard user.user != 0 else {
                throw WorkspaceError(
                    .invalid, "`user: \(user.user):\(user.group)`: a workspace does not run as root",
                    hint: "name another user in workspace.yml, such as `user: 1000:1000`, or leave it out")
            }
            return user
        }
        guard project.owner.user == 0 else { return project.owner }
        // A session's checkout is its own: no file of it belongs to anybody else.
        guard isLasting else { return PodUser(user: 1000, group: 1000) }
        throw WorkspaceError(
            .invalid, "\(project.path) belongs to root, and a workspace does not run as root",
            hint:
                "name the user in workspace.yml, such as `user: 1000:1000`, or give the project to one: chown -R 1000:1000 \(shellQuoted(project.path))"
        )
    }
}

extension ImageRecipe {
    /// Of everything that goes in; each part with its length before it, so that no two recipes run together.
    fileprivate func digest(_ tree: FileTree) throws -> String {
        var digest = InputDigest()
        digest.add(containerfile)
        for (name, value) in buildArguments.sorted(by: { $0.key < $1.key }) { digest.add("\(name)=\(value)") }
        for (path, file) in contextFiles.sorted(by: { $0.key < $1.key }) {
            digest.add(path)
            switch file {
            case .bytes(let bytes, let mode):
                digest.add("\(mode)")
                digest.add(bytes)
            case .file(let source):
                digest.add("\(tree.mode(source) ?? 0)")
                digest.add(try tree.read(source))
            }
        }
        return digest.hex
    }
}

extension BaseBuild {
    /// - Throws: ``WorkspaceError`` where the context or the Containerfile is not there, or leads out of the project.
    init(_ build: ProjectBuild, project: Project, tree: FileTree) throws {
        let context = try Self.inside(build.context, of: project, project.path, tree)
        let names = build.containerfile.map { [$0] } ?? ["Containerfile", "Dockerfile"]
        guard let name = names.first(where: { tree.kind("\(context)/\($0)") == .file }) else {
            throw WorkspaceError(
                .missing, "no \(names.joined(separator: " or ")) in \(context)",
                hint: "correct `build:` in \(project.definitionFile)")
        }
        let file = try Self.inside(name, of: project, context, tree)
        var digest = InputDigest()
        digest.add(name)
        digest.add(build.target ?? "")
        for (name, value) in build.arguments { digest.add("\(name)=\(value)") }
        try digest.add(directory: context, tree)
        self.init(
            context: context, containerfile: file, target: build.target, arguments: build.arguments,
            tag: "localhost/so-workspace-base:\(digest.hex.prefix(24))")
    }

    private static func inside(_ path: String, of project: Project, _ base: String, _ tree: FileTree) throws -> String {
        let full = absolutePath(path, in: base)
        let real = tree.realPath(full) ?? full
        guard real == project.path || real.hasPrefix(project.path == "/" ? "/" : project.path + "/") else {
            throw WorkspaceError(
                .notPermitted, "`build:` points to \(real), outside the project",
                hint: "a workspace is built from its project alone")
        }
        return real
    }
}

/// A digest of several inputs.
struct InputDigest {
    private var parts: [String] = []

    var hex: String { sha256Hex(parts.joined(separator: "\n")) }

    mutating func add(_ text: String) { add(Array(text.utf8)) }

    mutating func add(_ bytes: [UInt8]) { parts.append(sha256Hex(bytes)) }

    /// Every file, `.git` aside.
    mutating func add(directory: String, _ tree: FileTree) throws {
        for name in try tree.list(directory) where name != ".git" {
            let path = "\(directory)/\(name)"
            // What a link leads to is not in the context.
            guard tree.realPath(path) == path else { continue }
            add(name)
            switch tree.kind(path) {
            case .directory: try add(directory: path, tree)
            case .file:
                add("\(tree.mode(path) ?? 0)")
                add(try tree.read(path))
            default: continue
            }
        }
    }
}
