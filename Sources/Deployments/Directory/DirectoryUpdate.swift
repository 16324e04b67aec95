package import Compose
import Runtimes
import Specs
import SystemCrypto
import YAML

/// The steps that turn a deployment directory into what a new create would make, decided before the first is taken.
///
/// Every step can be repeated: `recover` finishes an update that was killed after its plan was written, and forgets one
/// that was killed before.
package struct DirectoryUpdate: Hashable, Sendable {
    /// Files to put in place, relative paths; the new content stands under `.state/update/new`.
    package var installed: [String] = []
    /// Files that the stack dropped.
    package var removed: [String] = []
    /// Files that are kept beside their replacement: path → backup.
    package var backups: [String: String] = [:]
    /// Directories that must exist.
    package var directories: [String] = []
    /// Files that stay as they were changed here, each with what the stack has instead.
    package var kept: [String: String] = [:]
    var manifest = Manifest()

    /// Whether the update changes nothing.
    package var isEmpty: Bool { installed.isEmpty && removed.isEmpty }
    /// Whether there is anything to tell.
    package var hasNews: Bool { !isEmpty || !kept.isEmpty }
}

extension DeploymentDirectory {
    private var updateDirectory: String { "\(stateDirectory)/update" }
    private var manifestFile: String { "\(stateDirectory)/manifest.yml" }
    /// Where the new content of an update is laid out.
    package var stagingDirectory: String { "\(updateDirectory)/new" }

    /// Reads what `so` last wrote; empty where nothing is recorded.
    func manifest() throws -> Manifest {
        guard let bytes = try Files.readIfPresent(manifestFile) else { return Manifest() }
        return Manifest(node: try loadYAMLDocument(bytes, file: manifestFile))
    }

    /// The backups that updates made, as absolute paths: a directory that a service mounts must not show them.
    package func backupPaths() throws -> Set<String> {
        Set(try manifest().backups.keys.map { "\(root)/\($0)" })
    }

    /// Compares the staged tree with the directory.
    ///
    /// A file whose content differs is replaced and kept as `<file>.bak`; one that is equal is left alone.
    ///
    /// - Parameters:
    ///   - owned: directories and files that belong to the services or the operator: nothing else in them is replaced or removed.
    ///   - seeds: the files of those that follow the stack as long as nobody changed them.
    package func planUpdate(owned: Set<String> = [], seeds: [DeploymentFile] = []) throws -> DirectoryUpdate {
        let old = try manifest()
        var update = DirectoryUpdate()
        update.manifest.backups = old.backups.filter { Files.exists("\(root)/\($0.key)") }
        for path in try Files.tree(stagingDirectory) where !isRuntimeData(path, owned: owned) {
            let content = try Files.read("\(stagingDirectory)/\(path)")
            update.manifest.files[path] = sha256Hex(content)
            if try !isCurrent(path, content: content) {
                update.installed.append(path)
                try backUp(path, replacedBy: content, recorded: old.files[path] ?? old.seeds[path], in: &update)
            }
        }
        for path in old.files.keys.sorted()
        where update.manifest.files[path] == nil && !isRuntimeData(path, owned: owned) {
            guard let digest = try digest(path) else { continue }
            update.removed.append(path)
            if digest != old.files[path] {
                try backUp(path, replacedBy: nil, recorded: old.files[path], in: &update)
            }
        }
        try planSeeds(seeds, old: old, in: &update)
        return update
    }

    /// The files that an update would write or remove, relative paths; nothing is staged.
    package func changes(_ contents: DirectoryContents, tree: FileTree) throws -> [String] {
        var paths: [String] = []
        for file in contents.files where !isRuntimeData(file.path, owned: contents.owned) {
            let (bytes, mode) = try (content(of: file, tree: tree), mode(of: file, tree: tree))
            let target = "\(root)/\(file.path)"
            let isEqual = try !Files.isDirectory(target) && isEqual(file.path, to: bytes)
            if !isEqual || Files.mode(target) != mode { paths.append(file.path) }
        }
        let kept = Set(contents.files.map(\.path))
        return try paths + seedChanges(contents, tree: tree)
            + manifest().files.keys.sorted().filter {
                !kept.contains($0) && !isRuntimeData($0, owned: contents.owned) && Files.exists("\(root)/\($0)")
            }
    }

    private func isEqual(_ path: String, to new: [UInt8]) throws -> Bool {
        guard path == "config.env" else { return try digest(path) == sha256Hex(new) }
        guard let current = try Files.readIfPresent("\(root)/\(path)") else { return false }
        return isSameConfig(current, new)
    }

    /// The digest of a file as it stands, nil where there is none. One that is too large for anything that so writes has the digest
    /// of no file: a service may have made it as large as it likes.
    func digest(_ path: String) throws(DeploymentError) -> String? {
        let file = "\(root)/\(path)"
        guard Files.size(file) ?? 0 <= Files.largest else { return "larger" }
        return try Files.readIfPresent(file).map { sha256Hex($0) }
    }

    /// Takes the steps of an update; the caller holds the lock.
    package func apply(_ update: DirectoryUpdate) throws {
        try commit(update)
        try finish(update)
    }

    /// Writes the plan: from here on the update is finished by whoever comes next.
    func commit(_ update: DirectoryUpdate) throws {
        try Files.write(Array(update.journal.yaml().utf8), to: "\(updateDirectory)/plan.yml")
    }

    /// Finishes or forgets an update that was interrupted; the caller holds the lock.
    package func recover() throws {
        let plan = "\(updateDirectory)/plan.yml"
        try Files.removeAbandonedWrites(in: stateDirectory)
        try RegistryLogins.removeAbandoned(in: stateDirectory)
        if let bytes = try Files.readIfPresent(plan) {
            try finish(DirectoryUpdate(journal: loadYAMLDocument(bytes, file: plan)))
        } else {
            try Files.remove(updateDirectory)
        }
    }

    /// Records the files of a directory that was just made.
    func writeManifest(of tree: String, owned: Set<String> = [], seeds: [DeploymentFile] = [], configEnv: String? = nil)
        throws
    {
        var manifest = Manifest()
        manifest.configEnv = configEnv
        for seed in seeds where seed.followsStack {
            manifest.seeds[seed.path] = try Files.readIfPresent("\(tree)/\(seed.path)").map { sha256Hex($0) }
        }
        for path in try Files.tree(tree) where !isRuntimeData(path, owned: owned) {
            manifest.files[path] = sha256Hex(try Files.read("\(tree)/\(path)"))
        }
        try Files.makeDirectory("\(tree)/.state", mode: 0o700)
        try Files.writeUnsynced(Array(manifest.yaml.utf8), to: "\(tree)/.state/manifest.yml", mode: 0o644)
    }

    private func finish(_ update: DirectoryUpdate) throws {
        try recordMade(update.directories)
        for directory in update.directories { try Files.makeDirectory("\(root)/\(directory)") }
        for path in update.installed where Files.exists("\(stagingDirectory)/\(path)") {
            // A service may have put a link there since the plan was made.
            if update.manifest.seeds[path] != nil, !isReplaceable(path) { continue }
            try keep(path, in: update)
            try Files.makeDirectory(Files.parent(of: "\(root)/\(path)"))
            try Files.rename("\(stagingDirectory)/\(path)", to: "\(root)/\(path)")
        }
        for path in update.removed where Files.exists("\(root)/\(path)") {
            try keep(path, in: update)
            try Files.remove("\(root)/\(path)")
            try removeEmptyParents(of: path)
        }
        // What a pod mounts must be there, though its last file went.
        for directory in update.directories { try Files.makeDirectory("\(root)/\(directory)") }
        try Files.write(Array(update.manifest.yaml.utf8), to: manifestFile)
        Files.syncDirectory(root)
        try Files.remove(updateDirectory)
    }

    /// Gives the file a second name before its own is taken: there is no moment in which it has none.
    private func keep(_ path: String, in update: DirectoryUpdate) throws {
        guard let backup = update.backups[path], Files.exists("\(root)/\(path)") else { return }
        try Files.linkReplacing("\(root)/\(path)", at: "\(root)/\(backup)")
        // What the new file keeps from others, the old one holds too.
        if let mode = Files.mode("\(stagingDirectory)/\(path)") { try Files.restrict("\(root)/\(backup)", to: mode) }
    }

    private func backUp(
        _ path: String, replacedBy content: [UInt8]?, recorded: String?, in update: inout DirectoryUpdate
    ) throws {
        guard let current = try digest(path), current != content.map({ sha256Hex($0) }) else { return }
        let backup = try freeBackup(for: path, in: update)
        update.backups[path] = backup
        update.manifest.backups[backup] = current != recorded
    }

    /// `<path>.bak`, or a numbered one where that would overwrite somebody's edit or a file that is not ours.
    private func freeBackup(for path: String, in update: DirectoryUpdate) throws -> String {
        var candidate = "\(path).bak"
        var number = 1
        while Files.exists("\(root)/\(candidate)") && update.manifest.backups[candidate] != false {
            candidate = "\(path).bak.\(number)"
            number += 1
        }
        return candidate
    }

    private func isCurrent(_ path: String, content: [UInt8]) throws -> Bool {
        let target = "\(root)/\(path)"
        guard Files.exists(target), !Files.isDirectory(target) else { return false }
        if path == "config.env" { return try isSameConfig(Files.read(target), content) }
        return try digest(path) == sha256Hex(content) && Files.mode(target) == Files.mode("\(stagingDirectory)/\(path)")
    }

    /// The services' data and `so`'s own state are not part of what an update replaces.
    private func isRuntimeData(_ path: String, owned: Set<String>) -> Bool {
        path.hasPrefix("data/") || path.hasPrefix(".state/") || path == "deployment.yml"
            || owned.contains { path.isPath(atOrBelow: $0) }
    }

    private func removeEmptyParents(of path: String) throws {
        var directory = Files.parent(of: path)
        while directory != ".", try Files.list("\(root)/\(directory)").isEmpty {
            try Files.remove("\(root)/\(directory)")
            directory = Files.parent(of: directory)
        }
    }
}

extension DirectoryUpdate {
    fileprivate var journal: Node {
        .map([
            ("installed", .list(installed.map { .string($0) })),
            ("removed", .list(removed.map { .string($0) })),
            ("backups", .map(backups.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
            ("directories", .list(directories.map { .string($0) })),
            ("manifest", .string(manifest.yaml)),
        ])
    }

    fileprivate init(journal: Node) throws {
        let mapping = journal.mapping ?? Mapping()
        installed = mapping["installed"]?.sequence?.compactMap(\.text) ?? []
        removed = mapping["removed"]?.sequence?.compactMap(\.text) ?? []
        directories = mapping["directories"]?.sequence?.compactMap(\.text) ?? []
        for entry in mapping["backups"]?.mapping?.entries ?? [] { backups[entry.key] = entry.value.text }
        manifest = Manifest(node: try loadYAMLDocument(Array((mapping["manifest"]?.text ?? "").utf8), file: "manifest"))
    }
}
