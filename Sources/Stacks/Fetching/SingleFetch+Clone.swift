import Compose
import ExternalTools
import FoundationEssentials
import Glibc
import Specs

extension SingleFetch {
    /// Where clones are made before they get their names: on the same file system, and hidden from the search for stacks.
    private var workshop: String { "\(base)/.so-clones" }

    /// Clones beside the place and renames, so that a clone that was interrupted is never taken for a whole one.
    func clone() async throws(StackError) -> RepositoryRecord {
        try requireOwnPlace()
        event(.cloning)
        try makeDirectory(workshop)
        removeAbandoned()
        let staging = "\(workshop)/\(locator.name)-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        try makeDirectory(staging)
        let lock = try await CloneLock.acquire(staging)
        defer {
            try? FileManager.default.removeItem(atPath: staging)
            rmdir(workshop)
        }
        let whole = "\(staging)/clone"
        try await fill(whole)
        let isOurs = try putInPlace(whole)
        _ = consume lock
        var record = RepositoryRecord(locator: locator, directory: directory, state: isOurs ? .cloned : .present)
        try await describe(&record)
        return record
    }

    /// A clone inside another's work tree would be that repository's to change.
    private func requireOwnPlace() throws(StackError) {
        var path = parentDirectory(directory)
        while path.utf8.count > base.utf8.count {
            guard FileTree.disk.kind(path + "/.git") == .none else {
                throw StackError(
                    .refused, "\(locator.repository) would be inside the clone \(path)", hint: "correct the locator")
            }
            path = parentDirectory(path)
        }
    }

    private func fill(_ clone: String) async throws(StackError) {
        do {
            try await git.clone(url, into: clone) { event(.transferring($0)) }
        } catch {
            throw transferFailure(error)
        }
        let work = SingleFetch(copying: self, directory: clone)
        if let reference = locator.reference {
            try await work.checkOut(reference)
        } else {
            guard try await asking({ () async throws(CommandFailure) in try await git.head(clone) }) != nil else {
                throw StackError(
                    .notFound, "\(url) has no commits on its default branch", hint: "name one with @branch")
            }
            try await work.changing("its files cannot be checked out", GitArguments.checkoutHead(clone))
        }
        try await work.updateSubmodules()
    }

    /// - Returns: whether it is this clone that stands at the place now, not one that another command made meanwhile.
    private func putInPlace(_ clone: String) throws(StackError) -> Bool {
        try makeDirectory(parentDirectory(directory))
        if rename(clone, directory) == 0 { return true }
        guard errno == ENOTEMPTY || errno == EEXIST else {
            throw StackError(.fetchFailed, "\(directory) cannot be made", cause: String(cString: strerror(errno)))
        }
        return false
    }

    private func makeDirectory(_ path: String) throws(StackError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw StackError(.notPermitted, "the directory \(path) cannot be made", cause: "\(error)")
        }
    }

    /// Removes what killed commands left: their locks went with them.
    private func removeAbandoned() {
        for name in (try? FileTree.disk.list(workshop)) ?? [] {
            let path = "\(workshop)/\(name)"
            // A directory that was just made is not locked yet; its process lives.
            let process = name.split(separator: "-").dropLast().last.flatMap { pid_t($0) } ?? 0
            guard process != getpid(), CloneLock.available(path), process == 0 || !HostProcess.runs(process)
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    private init(copying other: SingleFetch, directory: String) {
        locator = other.locator
        options = other.options
        base = other.base
        git = other.git
        event = other.event
        self.directory = directory
    }
}
