package import Compose
package import Runtimes
import Specs
import YAML

extension DeploymentDirectory {
    /// Writes everything that was laid out below ``root``; a full disk is found here, before anything of value changes.
    ///
    /// Nothing is durable yet: ``Files/syncTree(_:)`` makes it so, before the tree is put to use.
    func write(_ contents: DirectoryContents, request: CreateRequest, isNew: Bool) throws {
        try Files.makeDirectory(root)
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        if isNew { try recordMade(contents.directories, isSynced: false) }
        // On an update too: a hook may write below them, where only what is managed is taken over.
        for directory in contents.directories { try Files.makeDirectory("\(root)/\(directory)") }
        let seeds = isNew ? contents.seeds : contents.followed(in: request.directory)
        for file in contents.files + seeds { try write(file, tree: request.tree) }
        let inputs = contents.inputs.sorted { $0.key < $1.key }.map { ($0.key, Node.string($0.value)) }
        try Files.writeUnsynced(Array(Node.map(inputs).yaml().utf8), to: inputsFile, mode: 0o644)
    }

    private func write(_ file: DeploymentFile, tree: FileTree) throws {
        let target = "\(root)/\(file.path)"
        try Files.makeDirectory(Files.parent(of: target))
        // Two names of the spec may lead to one directory, and both be filled from the stack: the later one counts.
        try Files.remove(target)
        try Files.writeUnsynced(content(of: file, tree: tree), to: target, mode: mode(of: file, tree: tree))
    }

    /// The bytes that a file of the deployment gets.
    package func content(of file: DeploymentFile, tree: FileTree) throws(DeploymentError) -> [UInt8] {
        switch file.content {
        case .bytes(let bytes): bytes
        case .copy(let source): try read(source, tree: tree)
        }
    }

    func mode(of file: DeploymentFile, tree: FileTree) -> UInt32 {
        if let mode = file.mode { return mode }
        guard case .copy(let source) = file.content else { return 0o644 }
        return UInt32(tree.mode(source) ?? 0o644)
    }

    private func read(_ source: String, tree: FileTree) throws(DeploymentError) -> [UInt8] {
        do {
            return try tree.read(source)
        } catch {
            throw DeploymentError(.missing, "\(source) cannot be read: \(error)", cause: "\(error)")
        }
    }

    private var inputsFile: String { "\(stateDirectory)/inputs.yml" }
    private var inputsDirectory: String { "\(stateDirectory)/inputs" }

    /// Takes over the operator's files that an update copied: the list last, so that it never names a missing copy.
    func adoptInputs(from staging: DeploymentDirectory) throws {
        try Files.makeDirectory(inputsDirectory, mode: 0o700)
        if Files.exists(staging.inputsDirectory) {
            for name in try Files.list(staging.inputsDirectory) {
                try Files.rename("\(staging.inputsDirectory)/\(name)", to: "\(inputsDirectory)/\(name)")
            }
        }
        try Files.rename(staging.inputsFile, to: inputsFile)
        try Files.remove(staging.stateDirectory)
    }

    /// The files that the deployment is read from: the disk, with the operator's files as they were at the last create or
    /// update where they have gone, and without the backups that updates made.
    ///
    /// Containers may write some of it: what is read by a path of the deployment must lie in it when it is opened, and none of what the deployment
    /// keeps for itself is read by another path.
    ///
    /// - Parameter allowed: places of the host that links may lead to; absolute.
    package func fileTree(allowing allowed: [String] = []) throws -> FileTree {
        var inputs: [String: String] = [:]
        if let bytes = try Files.readIfPresent(inputsFile) {
            let node = try loadYAMLDocument(bytes, file: inputsFile)
            for entry in node.mapping?.entries ?? [] { inputs[entry.key] = "\(root)/\(entry.value.text ?? "")" }
        }
        return admittingTree(allowed).redirecting(inputs, hiding: try backupPaths())
    }

    private func admittingTree(_ allowed: [String]) -> FileTree {
        let (lexical, real) = (root, Files.canonical(root))
        let places = allowed.map { FileTree.disk.destination(of: $0) }
        return FileTree.disk { path, opened in
            let own = [lexical, real].first { path.hasPrefix($0 + "/") }.map { String(path.dropFirst($0.count + 1)) }
            guard let own else { return true }
            if places.contains(where: { opened.isPath(atOrBelow: $0) }) { return true }
            guard opened.hasPrefix(real + "/") else { return false }
            return StackBoundary.isKept(own) || !StackBoundary.isKept(String(opened.dropFirst(real.count + 1)))
        }
    }
}
