import Compose
import Dispatch
import ExternalTools
import Glibc
import Specs

/// The work on one repository.
struct SingleFetch: Sendable {
    let locator: RepositoryLocator
    let options: FetchOptions
    let base: String
    let directory: String
    let git: Git
    let event: @Sendable (FetchEvent) -> Void

    /// - Parameter directory: where the clone stands; nil: at its place below the base directory.
    init(
        locator: RepositoryLocator, fetcher: RepositoryFetcher, directory: String? = nil,
        event: @escaping @Sendable (FetchEvent) -> Void
    ) {
        self.locator = locator
        self.event = event
        options = fetcher.options
        base = fetcher.base
        self.directory = directory ?? fetcher.directory(of: locator)
        var git = fetcher.git
        git.allowsLocalSubmodules = locator.isLocal
        self.git = git
    }

    /// The repository's URL as messages show it.
    var url: String { locator.url(prefersSSH: options.prefersSSH) }

    func run() async throws(StackError) -> RepositoryRecord {
        guard isPresent else { return try await clone() }
        let lock = try await CloneLock.acquire(directory)
        let record = try await bringForward()
        _ = consume lock
        return record
    }

    /// Whether something stands at the clone's place; an empty directory is as good as none.
    private var isPresent: Bool {
        switch FileTree.disk.kind(directory) {
        case .none: false
        case .directory: ((try? FileTree.disk.list(directory)) ?? []).isEmpty == false
        case .file, .other: true
        }
    }

    func check() async throws(StackError) -> RepositoryRecord {
        var record = RepositoryRecord(locator: locator, directory: directory, state: .missing)
        guard isPresent else { return record }
        record.state = .present
        try await requireClone()
        try await describe(&record)
        if let reference = locator.reference,
            try await asking({ () async throws(CommandFailure) in
                try await target(of: reference)
            })?.commit != record.commit
        {
            record.notes.append("not at the requested \(reference)")
        }
        return record
    }

    /// Says where the clone stands.
    func describe(_ record: inout RepositoryRecord) async throws(StackError) {
        let (commit, branch, tag, changed) = try await asking { () async throws(CommandFailure) in
            (
                try await git.head(directory), try await git.branch(directory), try await git.tag(directory),
                try await git.hasLocalChanges(directory)
            )
        }
        record.commit = commit
        record.reference = branch ?? tag
        if changed { record.notes.append("has local changes") }
    }

    /// Refuses what is not a whole clone of the repository: nothing may be done to somebody's files.
    func requireClone() async throws(StackError) {
        let (top, head, origin) = try await asking { () async throws(CommandFailure) in
            (try await git.topLevel(directory), try await git.head(directory), try await git.remoteURL(directory))
        }
        guard let top, top == FileTree.disk.realPath(directory), head != nil else {
            throw StackError(
                .refused, "\(directory) exists and is not a whole git clone",
                hint: "move it away, then run the command again")
        }
        if locator.isLocal, directory.hasPrefix(base + "/"), let origin,
            RepositoryLocator(origin)?.transport != locator.transport
        {
            throw StackError(
                .refused, "\(directory) is a clone of \(origin), not of \(locator.repository)", hint: "move it away")
        }
    }

    /// Puts questions to git whose failure is not an answer.
    func asking<Answer>(_ body: () async throws(CommandFailure) -> Answer) async throws(StackError) -> Answer {
        do {
            return try await body()
        } catch {
            throw failure("git cannot read \(directory)", error)
        }
    }

    func failure(_ message: String, _ error: CommandFailure) -> StackError {
        if error.code == .cancelled { return StackError(.fetchFailed, "\(message): interrupted") }
        if error.code == .programMissing {
            return StackError(.fetchFailed, "git is not installed", hint: "apt-get install git")
        }
        return StackError(
            .fetchFailed, message, cause: error.standardError.isEmpty ? error.description : error.standardError)
    }

    /// Why a transfer failed, with what a user can do.
    func transferFailure(_ error: CommandFailure) -> StackError {
        let access =
            locator.isLocal
            ? "is it a git repository that you may read?"
            : "is it spelled right? A private one needs your git credential helper"
                + (options.prefersSSH ? ", or a key in your ssh agent" : ", or --git-ssh and a key in your ssh agent")
        return failure("\(url) could not be fetched (\(access))", error)
    }
}

/// Keeps two commands from working on one clone: the lock goes with its process.
struct CloneLock: ~Copyable, Sendable {
    private let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Waits for whoever works on the directory, on a thread of its own; a fetch has an end.
    static func acquire(_ directory: String) async throws(StackError) -> CloneLock {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StackError(.notPermitted, "\(directory) cannot be opened", cause: String(cString: strerror(errno)))
        }
        let lock = CloneLock(descriptor: descriptor)
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return lock }
        let failure: Int32 = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                var result = flock(descriptor, LOCK_EX)
                while result != 0 && errno == EINTR { result = flock(descriptor, LOCK_EX) }
                continuation.resume(returning: result == 0 ? 0 : errno)
            }
        }
        guard failure == 0 else {
            throw StackError(.notPermitted, "\(directory) cannot be locked", cause: String(cString: strerror(failure)))
        }
        return lock
    }

    /// Whether nobody holds it.
    static func available(_ directory: String) -> Bool {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
}
