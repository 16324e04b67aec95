import Compose
import OrderedCollections
import Runtimes
package import Specs
import Stacks
package import YAML

/// Decides what a deployment directory holds, so that the stack's repository may vanish afterwards.
///
/// - Parameters:
///   - project: the layered project; its paths tell which files of the stack are needed.
///   - diagnostics: receives an error for each file that cannot be taken along.
package func planDirectoryContents(
    _ request: CreateRequest, project: LayeredProject, diagnostics: inout Diagnostics
) -> DirectoryContents {
    var layout = DirectoryPlanner(request: request)
    layout.add(project: project)
    diagnostics.append(contentsOf: layout.diagnostics.list)
    return layout.contents
}

struct DirectoryPlanner {
    /// For people, their scripts, and values that are tried out.
    static let configHeader =
        "# Written by so from spec.yml. A line that is changed or added here counts over the spec from the next start on.\n"

    let request: CreateRequest
    var contents = DirectoryContents()
    var diagnostics = Diagnostics()
    private var origins: [String: String] = [:]
    /// The sources of binds that podman mounts for writing; absolute.
    var writable: Set<String> = []
    private let boundary: StackBoundary

    init(request: CreateRequest) {
        self.request = request
        boundary = StackBoundary(request.stack, tree: request.tree)
    }

    mutating func add(project: LayeredProject) {
        // Only podman mounts them from the host.
        writable = (request.spec.deployTo ?? .podman) == .podman ? project.writtenBinds : []
        addFixedFiles(project)
        addStackFiles()
        for reference in project.project.referencedPaths + project.jobs.values.flatMap(\.referencedPaths) {
            add(reference)
        }
        addVolumes()
        addInputs()
    }

    private mutating func addFixedFiles(_ project: LayeredProject) {
        let mode = request.specCopyMode
        add("spec.yml", .bytes(request.specText), mode: mode)
        let stack = request.stack
        // A deployment of several stacks names all their pods itself: theirs may vanish too.
        add(
            "stack.yml",
            stack.parts.isEmpty
                ? .copy(stack.file.file) : .bytes(Array(stack.file.flattened(parts: stack.parts).yaml().utf8)),
            mode: 0o644)
        let environment = project.configEnv
        add("config.env", .bytes(Array((Self.configHeader + environment.text).utf8)), mode: mode)
        contents.specConfigEnv = Self.configHeader + project.specConfigEnv.text
        for name in environment.shellOnly {
            diagnostics.warning(
                "no quoting lets both a shell and compose read \(name) back equal; config.env quotes it for a shell",
                at: request.spec.config[name]?.mark)
        }
    }

    private mutating func addStackFiles() {
        for pod in request.stack.pods {
            if let file = pod.composeFile { add("\(folder(of: pod))/docker-compose-\(pod.name).yml", .copy(file)) }
            if let directory = pod.configDirectory { addTree(directory, to: "config/\(pod.name)", at: pod.mark) }
            addScripts(of: pod)
        }
        for job in request.stack.jobs {
            if let file = job.composeFile { add("compose-jobs/docker-compose-\(job.name).yml", .copy(file)) }
        }
        for (occasion, path) in request.stack.hooks { addHook(path, ResolvedStack.hookPath(occasion, of: path)) }
        for hook in request.stack.partHooks {
            addHook(hook.path, ResolvedStack.hookPath(part: hook.stack, hook.occasion, of: hook.path))
        }
    }

    /// A hook, and the files beside it that it may use.
    private mutating func addHook(_ path: String, _ target: String) {
        add(target, .copy(path), mode: 0o755)
        let (directory, folder) = (Files.parent(of: path), Files.parent(of: target))
        let hooks = StackHook.allCases.map(\.rawValue) + ["commands.py", "__pycache__", ".git"]
        for name in (try? request.tree.list(directory).sorted()) ?? []
        where !hooks.contains(name) && !name.contains(".bak") {
            switch request.tree.kind("\(directory)/\(name)") {
            case .file: add("\(folder)/\(name)", .copy("\(directory)/\(name)"))
            case .directory: addTree("\(directory)/\(name)", to: "\(folder)/\(name)", at: Mark(file: path))
            default: continue
            }
        }
    }

    /// Where the pod's compose file goes: one from a repository keeps its place there, below a directory of the pod's own.
    private func folder(of pod: ResolvedPod) -> String {
        guard let written = request.stack.file.pods.first(where: { $0.name == pod.name }) else { return "compose" }
        // The stack may be the deployment's own copy, which is mirrored already.
        let isMirrored = pod.composeFile == "\(request.stack.root)/\(written.mirroredFile)"
        return pod.repositoryDirectory != nil || isMirrored ? written.mirroredDirectory : "compose"
    }

    private mutating func addScripts(of pod: ResolvedPod) {
        let written = request.stack.file.pods.first { $0.name == pod.name }
        let scripts = [
            (pod.preStartCommand, written?.preStartCommand), (pod.postStartCommand, written?.postStartCommand),
        ]
        for case (let source?, let path?) in scripts {
            add("pods/\(pod.name)/scripts/\(path)", .copy(source), mode: 0o755, at: pod.mark)
        }
    }

    /// Takes a file that a compose file names by a relative path along, at the same place relative to that file.
    private mutating func add(_ reference: ReferencedPath) {
        switch reference.role {
        case .buildContext, .dockerfile, .additionalContext, .watch, .composeFile, .volumeDevice: return
        case .include, .extends, .dotEnv, .envFile, .labelFile, .bind, .config, .secret, .credentialSpec: break
        }
        if reference.isWrittenAbsolute {
            if reference.role == .bind { refuseOwn(reference) }
            return
        }
        guard let (composeFile, folder) = composeFile(of: reference) else { return }
        let mode: UInt32? = reference.role == .secret ? 0o600 : nil
        add(besideCompose: reference.path, composeFile: composeFile, folder: folder, at: reference.mark, mode: mode)
    }

    /// The compose file of the stack that a path belongs to: the one it is written in, else the one whose folder leads to it.
    private func composeFile(of reference: ReferencedPath) -> (String, String)? {
        let pods = request.stack.pods.compactMap { pod in pod.composeFile.map { ($0, folder(of: pod)) } }
        let jobs = request.stack.jobs.compactMap(\.composeFile).map { ($0, "compose-jobs") }
        let all = pods + jobs
        return all.first { $0.0 == reference.mark.file }
            ?? all.first { reference.path.hasPrefix(Files.parent(of: $0.0) + "/") }
            ?? all.first { reference.path.hasPrefix(Files.parent(of: Files.parent(of: $0.0)) + "/") }
    }

    private mutating func add(
        besideCompose path: String, composeFile: String, folder: String, at mark: Mark, mode: UInt32?
    ) {
        let relative = relativePath(of: path, from: Files.parent(of: composeFile))
        let target = Files.absolute("/\u{1}/\(folder)/\(relative)")
        guard target.hasPrefix("/\u{1}/") else {
            diagnostics.error(
                "\(path) is outside the stack", at: mark,
                hint: "move it below the stack's root, or name it by an absolute path")
            return
        }
        let inside = String(target.dropFirst(3))
        guard !StackBoundary.isKept(inside) else {
            diagnostics.error(
                "\(path) would become \(inside) of the deployment, which is private to it", at: mark,
                hint: "put the file below config/ of the stack")
            return
        }
        switch request.tree.kind(path) {
        // Below config/ lies what the stack brings: an update brings it again, and keeps what was changed as a backup.
        case .file where writable.contains(path) && !inside.hasPrefix("config/"):
            ownFile(inside, copiedFrom: path, at: mark, mode: mode)
        case .file: add(inside, .copy(path), mode: mode, at: mark)
        case .directory where writable.contains(path): own(inside, filledFrom: path, at: mark)
        case .directory: addTree(path, to: inside, at: mark, mode: mode)
        default:
            if writable.contains(path) { own(inside, filledFrom: path, at: mark) }
        }
    }

    private mutating func addTree(_ directory: String, to target: String, at mark: Mark, mode: UInt32? = nil) {
        guard isStacks(directory, at: mark), !isLoop(directory, at: mark) else { return }
        guard let names = try? request.tree.list(directory) else {
            diagnostics.error("the directory \(directory) cannot be read", at: mark)
            return
        }
        if names.isEmpty { contents.directories.append(target) }
        for name in names.sorted() where name != ".git" {
            let (source, destination) = ("\(directory)/\(name)", "\(target)/\(name)")
            switch request.tree.kind(source) {
            case .directory: addTree(source, to: destination, at: mark, mode: mode)
            case .file: add(destination, .copy(source), mode: mode, at: mark)
            default: diagnostics.warning("\(source) is neither a file nor a directory and is left out", at: mark)
            }
        }
    }

    private mutating func add(
        _ path: String, _ content: DeploymentFile.Content, mode: UInt32? = nil, at mark: Mark? = nil
    ) {
        let origin = if case .copy(let source) = content { source } else { path }
        if let other = origins[path] {
            guard other != origin, !same(other, origin) else { return }
            diagnostics.error(
                "\(other) and \(origin) would both become \(path) of the deployment", at: mark,
                hint: "rename one of them")
            return
        }
        if case .copy(let source) = content, !isStacks(source, at: mark) { return }
        origins[path] = origin
        contents.files.append(DeploymentFile(path: path, content: content, mode: mode))
    }

    /// Whether a file is the stack's, which is somebody else's: a link in it must not carry the operator's files into a container.
    /// Everything that is copied out of a stack comes by here.
    mutating func isStacks(_ source: String, at mark: Mark?) -> Bool {
        if boundary.holds(source) { return true }
        diagnostics.error(
            "\(source) is a link that points outside the stack, to \(request.tree.destination(of: source))",
            at: mark ?? Mark(file: request.stack.file.file), hint: "replace it by the file itself")
        return false
    }

    /// An absolute path that leads into the deployment is held to what a relative one is.
    private mutating func refuseOwn(_ reference: ReferencedPath) {
        let target = request.tree.destination(of: reference.path)
        let directory = request.tree.destination(of: request.directory)
        guard target.isPath(atOrBelow: directory), !target.isMountable(below: directory) else { return }
        diagnostics.error(
            "the bind mount \(reference.written) leads into the deployment, where containers may see data/, config/ and configmaps/ only",
            at: reference.mark, hint: "write a path outside of the deployment, or one below ../data/")
    }

    /// Whether a directory is one of those that it lies in, by a link: its copy would never end.
    mutating func isLoop(_ directory: String, at mark: Mark?) -> Bool {
        let target = request.tree.destination(of: directory)
        guard directory != target else { return false }
        var above = Files.parent(of: directory)
        while above != "/", !request.tree.destination(of: above).isPath(atOrBelow: target) {
            above = Files.parent(of: above)
        }
        guard above != "/" else { return false }
        diagnostics.error(
            "\(directory) is a link to \(target), in which it lies itself",
            at: mark ?? Mark(file: request.stack.file.file),
            hint: "remove the link")
        return true
    }

    private func same(_ one: String, _ other: String) -> Bool {
        guard let first = try? request.tree.read(one), let second = try? request.tree.read(other) else { return false }
        return first == second
    }
}

/// The way from a directory to a path, both absolute, with `..` where it goes up.
func relativePath(of path: String, from directory: String) -> String {
    let target = path.split(separator: "/")
    let base = directory.split(separator: "/")
    let common = zip(target, base).prefix { $0 == $1 }.count
    return (Array(repeating: "..", count: base.count - common) + target.dropFirst(common)).joined(separator: "/")
}
