import Compose
import Glibc
import Runtimes
import Specs
import SystemCrypto

/// Files of the stack in directories that services or the operator write to as well: an update brings a new version only where
/// nobody changed what stands there.
extension DeploymentDirectory {
    private enum Verdict {
        /// What stands there is the stack's version already.
        case current
        case install
        /// Changed or removed here, and the stack's version is the one that was changed.
        case untouched
        /// Changed or removed here, and the stack has another version by now.
        case edited
    }

    /// Decides what becomes of the staged seeds, and of those that the stack dropped.
    func planSeeds(_ seeds: [DeploymentFile], old: Manifest, in update: inout DirectoryUpdate) throws {
        for seed in seeds {
            guard let staged = try Files.readIfPresent("\(stagingDirectory)/\(seed.path)") else {
                // The stack is the deployment's own copy: there is nothing newer to compare with.
                update.manifest.seeds[seed.path] = old.seeds[seed.path]
                continue
            }
            plan(seed, digest: sha256Hex(staged), recorded: old.seeds[seed.path] ?? old.files[seed.path], &update)
        }
        let named = Set(seeds.map(\.path))
        for (path, recorded) in old.seeds.sorted(by: { $0.key < $1.key })
        where !named.contains(path) && update.manifest.files[path] == nil && Files.exists("\(root)/\(path)") {
            if digestIfReadable(path) == recorded, isReplaceable(path) {
                update.removed.append(path)
            } else {
                update.kept[path] = "the stack dropped it"
            }
        }
    }

    private func plan(
        _ seed: DeploymentFile, digest: String, recorded: String?, _ update: inout DirectoryUpdate
    ) {
        update.manifest.seeds[seed.path] = digest
        switch verdict(seed.path, digest: digest, recorded: recorded) {
        case .current: return
        case .install where update.installed.contains(seed.path): return
        case .install: update.installed.append(seed.path)
        case .untouched: update.manifest.seeds[seed.path] = recorded
        case .edited:
            update.manifest.seeds[seed.path] = recorded ?? digest
            if case .copy(let source) = seed.content { update.kept[seed.path] = "the stack's version: \(source)" }
        }
    }

    /// The seeds that an update would write, relative paths; nothing is staged.
    func seedChanges(_ contents: DirectoryContents, tree: FileTree) throws -> [String] {
        let old = try manifest()
        return try contents.followed(in: root).filter { seed in
            let new = sha256Hex(try content(of: seed, tree: tree))
            let verdict = verdict(seed.path, digest: new, recorded: old.seeds[seed.path] ?? old.files[seed.path])
            return verdict == .install
        }.map(\.path)
    }

    private func verdict(_ path: String, digest new: String, recorded: String?) -> Verdict {
        let isThere = Files.exists("\(root)/\(path)")
        if !isThere, recorded == nil { return isReplaceable(path) ? .install : .edited }
        let current = isThere ? digestIfReadable(path) : nil
        if current == new { return .current }
        if let current, current == recorded, isReplaceable(path) { return .install }
        return recorded == new ? .untouched : .edited
    }

    /// What a service put there may be a pipe, or closed to us.
    private func digestIfReadable(_ path: String) -> String? { (try? digest(path)) ?? nil }

    /// Whether a file may be put there: a service must not lead a write out of its directory by a link, and may have made
    /// the directory its own.
    func isReplaceable(_ path: String) -> Bool {
        var parent = Files.parent(of: "\(root)/\(path)")
        guard Files.canonical(parent) == parent else { return false }
        while !Files.exists(parent) { parent = Files.parent(of: parent) }
        return access(parent, W_OK) == 0
    }
}

extension DirectoryContents {
    /// The seeds whose new versions updates take over; not those that are the deployment's own copies.
    func followed(in directory: String) -> [DeploymentFile] {
        seeds.filter { $0.followsStack && $0.content != .copy("\(directory)/\($0.path)") }
    }
}

extension Manifest {
    /// What was last written at a path, a file's or a directory's; nil where nothing is recorded.
    func writtenDigest(of path: String) -> String? {
        let all = files.filter { $0.key.isPath(atOrBelow: path) }.merging(
            seeds.filter { $0.key.isPath(atOrBelow: path) }
        ) { $1 }
        let inside = all.sorted { $0.key < $1.key }
        return inside.isEmpty ? nil : sha256Hex(Array(inside.map { "\($0.key)\0\($0.value)\n" }.joined().utf8))
    }
}
