import FoundationEssentials
import Runtimes

/// What a git leaves in a bare store when it is killed together with its `so`: later ones would wait for it for ever.
///
/// Asked for by whoever holds the store's own lock, so that no other `so` changes the store meanwhile.
struct AbandonedLocks {
    /// A bare repository.
    let store: String
    /// Where the processes of this host are seen.
    var processes = "/proc"

    /// Removes them, unless a git that has outlived its `so` is still at work there.
    func remove() throws {
        let left = try found()
        guard !left.isEmpty, !isInUse else { return }
        for file in left { try Files.remove(file) }
    }

    private func found() throws -> [String] {
        guard Files.isDirectory("\(store)/refs") else { return [] }
        let locks = try Files.list(store).filter { $0.hasSuffix(".lock") }.map { "\(store)/\($0)" }
        let packs = "\(store)/objects/pack"
        let halves = Files.isDirectory(packs) ? try Files.list(packs).filter { $0.hasPrefix("tmp_") } : []
        return try locks + references("\(store)/refs") + halves.map { "\(packs)/\($0)" }
    }

    /// No reference's name ends so: git-check-ref-format(1).
    private func references(_ directory: String) throws -> [String] {
        try Files.list(directory).flatMap { name -> [String] in
            let path = "\(directory)/\(name)"
            if Files.isDirectory(path, followingLinks: false) { return try references(path) }
            return name.hasSuffix(".lock") ? [path] : []
        }
    }

    /// Git works in the repository's directory.
    private var isInUse: Bool {
        let own = Files.canonical(store)
        return ((try? Files.list(processes)) ?? []).contains { process in
            guard Int(process) != nil,
                let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(processes)/\(process)/cwd")
            else { return false }
            return place == own || place.hasPrefix(own + "/")
        }
    }
}
