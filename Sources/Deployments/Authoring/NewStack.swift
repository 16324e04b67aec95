import Compose
package import Runtimes
package import Stacks
import YAML

/// A stack that a user asks for; paths are as the user has written them.
package struct NewStackRequest: Sendable {
    package enum Origin: Sendable {
        case template(StackTemplate)
        /// A compose file of the stack's repository, which runs where it is.
        case composeFile(String)
    }

    package var name: String
    package var origin: Origin
    /// The root of stacks/, compose/ and config/; nil: the working directory.
    package var directory: String?

    package init(name: String, _ origin: Origin) {
        self.name = name
        self.origin = origin
    }
}

/// The files of a new stack, decided and not written yet.
package struct NewStack: Sendable {
    /// The root as a user reads it: empty for the working directory, else with a slash at its end.
    package let shownRoot: String
    package let root: String
    package let name: String
    package let files: [NewStackFile]

    /// Whether the stack builds images of its own.
    package var buildsImages: Bool { files.contains { $0.path.hasPrefix("container-build/") } }

    package func write() throws(DeploymentError) {
        for file in files {
            try Files.makeDirectory(Files.parent(of: "\(root)/\(file.path)"))
            try Files.write(Array(file.text.utf8), to: "\(root)/\(file.path)", mode: file.isExecutable ? 0o755 : 0o644)
        }
    }
}

extension DeploymentService {
    /// Decides the files of a new stack; a file that exists is an error.
    package func newStack(_ request: NewStackRequest) throws -> NewStack {
        let name = try checkedStackName(request.name)
        let root = try stackRoot(request.directory)
        let files: [NewStackFile]
        switch request.origin {
        case .template(let template): files = Stacks.newStack(name, template: template)
        case .composeFile(let file): files = Stacks.newStack(name, composeFile: try composeFile(file, below: root))
        }
        let stack = NewStack(shownRoot: shown(root), root: root, name: name, files: files)
        try stack.refuseExisting()
        return stack
    }

    /// Where stacks are already kept, in a place that `--stack` finds, else the directory itself.
    private func stackRoot(_ directory: String?) throws(DeploymentError) -> String {
        let base = Files.canonical(host.absolute(directory ?? "."))
        guard Files.isDirectory(base) else {
            throw DeploymentError(.missing, "no directory \(base)", hint: "make it, or correct --directory")
        }
        let places = ["", "/stack-orchestrator", "/stack_orchestrator/data"].map { base + $0 }
        return places.first { Files.isDirectory("\($0)/stacks") } ?? base
    }

    private func shown(_ root: String) -> String {
        let here = Files.canonical(host.workingDirectory)
        if root == here { return "" }
        return root.hasPrefix(here + "/") ? "\(root.dropFirst(here.count + 1))/" : "\(root)/"
    }

    /// A sound compose file's path relative to the root: what is in its way is told before a stack is made of it.
    private func composeFile(_ written: String, below root: String) throws -> String {
        let path = Files.canonical(host.absolute(written))
        guard Files.exists(path) else {
            throw DeploymentError(.missing, "no file \(written)", hint: "correct --from-compose")
        }
        guard path.hasPrefix(root == "/" ? root : root + "/") else {
            throw DeploymentError(
                .cannotCreate, "\(path) is outside the stack's root \(root)",
                hint: "run this in the compose file's repository, or name its directory with --directory")
        }
        var diagnostics = Diagnostics()
        var options = LoadOptions()
        options.homeDirectory = host.homeDirectory
        options.requiresInputs = false
        _ = loadProject(files: [path], options: options, tree: .disk, diagnostics: &diagnostics)
        try diagnostics.throwIfErrors()
        return String(path.dropFirst(root == "/" ? 1 : root.count + 1))
    }
}

extension NewStack {
    fileprivate func refuseExisting() throws(DeploymentError) {
        let others = files.map(\.path).filter { !$0.hasPrefix("stacks/\(name)/") }
        let taken = (["stacks/\(name)"] + others).filter { Files.exists("\(root)/\($0)") }
        guard !taken.isEmpty else { return }
        throw DeploymentError(
            .cannotCreate,
            "\(taken.map { shownRoot + $0 }.joined(separator: ", ")) \(taken.count == 1 ? "exists" : "exist") already",
            hint: "take another name, or remove what is there")
    }
}
