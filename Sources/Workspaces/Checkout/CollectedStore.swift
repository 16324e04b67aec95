import ExternalTools
import Glibc
import Runtimes

/// The bare repository that a project's sessions bring their work back to. No session mounts it, and it takes nothing that was not checked.
package struct CollectedStore: Sendable {
    package let stores: ProjectStores
    /// The most that one collection may bring, in bytes.
    package var sizeLimit = 4 << 30
    /// How long a pod may send nothing of it: git says nothing while it reads a large checkout.
    package var silenceLimit = Duration.seconds(900)

    package init(_ stores: ProjectStores) { self.stores = stores }

    var git: HostGit { stores.git(stores.collected) }

    /// Brings all work out of a session's pod, verifies it, and keeps it under the session's references.
    ///
    /// Nothing of it is kept where it is refused: the work is then still in the pod's volume.
    package func collect(
        _ checkout: Checkout, from pod: some PodShell, base: String, copied: [String] = []
    ) async throws -> CollectionSummary {
        // What a pod sends may take as long as its agent likes: that holds up this session alone.
        let own = try await stores.lock("\(stores.directory)/collect-\(checkout.session)")
        try await makeOnce()
        let incoming = "\(stores.collected)/incoming-\(checkout.session)"
        try Files.remove(incoming)
        try Files.makeDirectory("\(incoming)/objects/pack", mode: 0o700)
        defer { try? Files.remove(incoming) }
        let command = CollectScript.command(checkout, base: base, copied: copied)
        let file = "\(incoming)/bundle"
        let said = try await receive(command, from: pod, into: file)
        let bundle = try IncomingBundle(file: file, session: checkout.session)
        let lock = try await stores.lock(stores.collected)
        try await verify(bundle, incoming)
        try await checkTrees(bundle, incoming, base: base)
        var references = bundle.references
        references["\(checkout.session.references)base"] = base
        try await accept(references, checkout.session, incoming)
        _ = consume lock
        _ = consume own
        return CollectionSummary(
            references: references, incomplete: Self.lines(said, CollectScript.incompleteMark),
            notes: Self.lines(said, CollectScript.noteMark) + bundle.renamed)
    }

    /// What the pod's script said behind a mark.
    private static func lines(_ said: String, _ mark: String) -> [String] {
        said.split(separator: "\n").filter { $0.hasPrefix(mark) }.prefix(100).map { String($0.dropFirst(mark.count)) }
    }

    private func makeOnce() async throws {
        let lock = try await stores.lock(stores.collected)
        if !Files.exists(stores.collected) { try await make() }
        _ = consume lock
    }

    private func make() async throws {
        try await stores.makeStore(stores.collected) { aside in
            try await stores.git("/").run(
                ["init", "--quiet", "--bare", "--template=", "--", aside], to: "make the store of work")
            let settings = [
                ("gc.auto", "0"), ("core.logAllRefUpdates", "always"), ("gc.reflogExpire", "never"),
                ("gc.reflogExpireUnreachable", "never"), ("core.bigFileThreshold", "16m"),
            ]
            for (key, value) in settings {
                try await stores.git(aside).run(["config", key, value], to: "set up the store of work")
            }
            try Files.makeDirectory("\(aside)/objects/info")
            try Files.write(Array("\(stores.base)/objects\n".utf8), to: "\(aside)/objects/info/alternates")
        }
    }

    /// Writes what the pod prints into a file, up to the limit, and returns what it said on standard error.
    private func receive(
        _ command: [String], from pod: some PodShell, into file: String
    ) async throws(WorkspaceError) -> String {
        let sink = try BundleSink(file: file, limit: sizeLimit)
        let status: Int
        do throws(WorkspaceError) {
            let what = "what the session's checkout holds"
            status = try await pod.stream(command, silence: silenceLimit, what: what) {
                stream, bytes throws(CommandFailure) in
                guard await sink.add(bytes, from: stream) else {
                    throw CommandFailure(.outputTooLong, command: "so-collect")
                }
            }
        } catch {
            if await sink.isFull { throw IncomingBundle.refused("it is larger than \(sizeLimit >> 20) MiB") }
            throw error
        }
        if let problem = await sink.problem {
            throw WorkspaceError(.cannotCreate, "cannot write \(file)", cause: problem)
        }
        guard status == 0 else {
            throw WorkspaceError(
                .failed, "the session's work could not be gathered (exit code \(status))", cause: await sink.said,
                hint: "it is still in the session's volume: open it with `so session shell`")
        }
        return await sink.said
    }

    /// Has git read every object of the pack, in a directory of its own: its form, its links, and that nothing is missing.
    private func verify(_ bundle: IncomingBundle, _ incoming: String) async throws(WorkspaceError) {
        let quarantined = quarantined(incoming)
        let index = quarantined.command([
            "index-pack", "--fix-thin", "--stdin", "--strict", "--max-input-size=\(sizeLimit)",
        ])
        var piped = index
        piped.arguments = [
            "-c", Self.piping, "so-index", "\(bundle.packOffset + 1)", "\(incoming)/bundle", index.program,
        ]
        piped.arguments += index.arguments
        piped.program = "sh"
        do {
            try await piped.limited().run()
        } catch {
            throw refused(error)
        }
        let tips = Set(bundle.references.values).sorted().joined(separator: "\n")
        let walk = quarantined.command(
            ["rev-list", "--objects", "--quiet", "--stdin", "--not", "--all", "--alternate-refs"],
            input: Array((tips + "\n").utf8))
        do {
            try await walk.limited().run()
        } catch {
            throw refused(error)
        }
    }

    private static let piping = """
        offset=$1 file=$2
        shift 2
        tail -c +"$offset" "$file" | "$@"
        """

    /// Refuses commits that stand for more paths than anybody could write, list or compare.
    private func checkTrees(
        _ bundle: IncomingBundle, _ incoming: String, base: String
    ) async throws(WorkspaceError) {
        let git = quarantined(incoming)
        let tips = Set(bundle.references.values).sorted()
        var totals = PathCount(git)
        do {
            let walk = git.command(
                ["rev-list", "--no-commit-header", "--format=%T", "--stdin", "--not", "--all", "--alternate-refs"],
                input: Array((tips.joined(separator: "\n") + "\n").utf8))
            var trees = Set(try await walk.limited().run().text.split(separator: "\n").map(String.init))
            // A reference may lead to a tree itself.
            let peeled = (tips + [base]).map { "\($0)^{tree}" }.joined(separator: "\n") + "\n"
            let asked = git.command(
                ["cat-file", "--batch-check=%(objectname) %(objecttype)"], input: Array(peeled.utf8))
            let answers = try await asked.limited().run().text.split(separator: "\n").map { $0.split(separator: " ") }
            trees.formUnion(answers.filter { $0.last == "tree" }.compactMap(\.first).map(String.init))
            try await totals.read(trees.sorted())
            let before = answers.last.flatMap { $0.last == "tree" ? $0.first : nil }.map { totals.total(String($0)) }
            guard !trees.contains(where: { totals.total($0).isBeyond(before ?? PathCount.Total()) }) else {
                throw IncomingBundle.refused("a commit holds more than two million files, or their names take 256 MiB")
            }
        } catch let failure as CommandFailure {
            throw refused(failure)
        } catch let failure as PathCount.Failure {
            switch failure {
            case .tooDeep: throw IncomingBundle.refused("its folders are nested too deeply")
            case .unreadable(let failure): throw refused(failure)
            }
        } catch let error as WorkspaceError {
            throw error
        } catch {
            throw WorkspaceError(.failed, "the session's work could not be looked at", cause: "\(error)")
        }
    }

    private func refused(_ failure: CommandFailure) -> WorkspaceError {
        if failure.code == .cancelled {
            return WorkspaceError(failure, "the check of the session's work was cut short")
        }
        if let full = fullDisk() { return full }
        var error = IncomingBundle.refused("git does not accept its objects")
        error.cause = failure.standardError
        return error
    }

    /// What git says to a disk without room is not a fault of the work's.
    private func fullDisk() -> WorkspaceError? {
        var status = statvfs()
        guard statvfs(stores.directory, &status) == 0, status.f_bavail * status.f_frsize < 1 << 20 else { return nil }
        return WorkspaceError(
            .cannotCreate,
            "the disk of \(stores.directory) is full, so that the session's work cannot be brought there",
            hint:
                "make room (so session cleanup, so workspace image prune), and run the command again; the work is safe in the session's volume"
        )
    }

    private func quarantined(_ incoming: String) -> HostGit {
        var git = git
        git.environment["GIT_OBJECT_DIRECTORY"] = "\(incoming)/objects"
        git.environment["GIT_ALTERNATE_OBJECT_DIRECTORIES"] = "\(stores.collected)/objects"
        return git
    }

    /// The index goes last: git looks for packs by their index.
    private func accept(
        _ references: [String: String], _ session: SessionID, _ incoming: String
    ) async throws {
        let (from, to) = ("\(incoming)/objects/pack", "\(stores.collected)/objects/pack")
        let files = try Files.list(from).filter { $0.hasPrefix("pack-") }
        for name in files.filter({ !$0.hasSuffix(".idx") }) + files.filter({ $0.hasSuffix(".idx") }) {
            try Files.rename("\(from)/\(name)", to: "\(to)/\(name)")
        }
        Files.syncDirectory(to)
        let old = try await self.references(of: session)
        let stale = old.filter { references[$0.key] == nil && !$0.key.hasPrefix("\(session.references)earlier/") }
        let updates = references.sorted { $0.key < $1.key }.map { "update \($0.key) \($0.value)\n" }
        guard !stale.isEmpty else { return try await update(updates) }
        // In two steps, for git makes no `a/b` while there is an `a`. Each leaves all work under some name.
        let number = 1 + (old.keys.compactMap { Self.number(of: $0, session) }.max() ?? 0)
        let current = Set(references.values)
        let moved = stale.filter { !current.contains($0.value) }.sorted { $0.key < $1.key }.map { name, object in
            "create \(session.references)earlier/\(number)/\(name.dropFirst(session.references.count)) \(object)\n"
        }
        try await update(moved + stale.keys.sorted().map { "delete \($0)\n" })
        try await update(updates)
    }

    /// Of a reference to what an earlier collection brought: which one's.
    private static func number(of name: String, _ session: SessionID) -> Int? {
        let parts = name.dropFirst(session.references.count).split(separator: "/")
        return parts.first == "earlier" ? parts.dropFirst().first.flatMap { Int($0) } : nil
    }

    private func update(_ lines: [String]) async throws {
        try await git.run(
            ["update-ref", "--create-reflog", "--stdin"], input: Array(lines.joined().utf8),
            to: "keep the session's references", cancellation: .finish)
    }

    /// The session's references and what they point to.
    package func references(of session: SessionID) async throws(WorkspaceError) -> [String: String] {
        guard Files.exists(stores.collected) else { return [:] }
        let listed = try await git.run(
            ["for-each-ref", "--format=%(objectname) %(refname)", session.references], to: "list the session's work")
        let pairs = listed.split(separator: "\n").compactMap { line -> (String, String)? in
            let words = line.split(separator: " ", maxSplits: 1).map(String.init)
            return words.count == 2 ? (words[1], words[0]) : nil
        }
        return Dictionary(pairs) { $1 }
    }

    /// Lets go of all that a session brought, and of its objects, which nothing else would ever remove.
    package func forget(_ session: SessionID) async throws {
        let all = try await references(of: session)
        guard !all.isEmpty else { return }
        let lock = try await stores.lock(stores.collected)
        let lines = all.keys.sorted().map { "delete \($0)\n" }.joined()
        try await git.run(["update-ref", "--stdin"], input: Array(lines.utf8), to: "forget the session's work")
        // What other sessions' references and their logs lead to stays.
        try await git.run(
            ["repack", "-a", "-d", "-l", "-q"], to: "pack the work that is kept", cancellation: .finish)
        try await git.run(["prune", "--expire=now"], to: "remove the session's objects", cancellation: .finish)
        try Files.remove("\(stores.directory)/collect-\(session).lock")
        _ = consume lock
    }
}

/// Takes what a pod prints into a file, up to a limit.
private actor BundleSink {
    private let descriptor: Int32
    private let limit: Int
    private var count = 0
    private var errors: [UInt8] = []
    private(set) var isFull = false
    private(set) var problem: String?

    init(file: String, limit: Int) throws(WorkspaceError) {
        self.limit = limit
        descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw WorkspaceError(.cannotCreate, "cannot write \(file)", cause: String(cString: strerror(errno)))
        }
    }

    deinit { close(descriptor) }

    var said: String { String(decoding: errors, as: UTF8.self) }

    func add(_ bytes: [UInt8], from stream: OutputStream) -> Bool {
        guard stream == .standardOutput else {
            errors = Array((errors + bytes).suffix(Command.errorLimit))
            return true
        }
        count += bytes.count
        isFull = count > limit
        return !isFull && write(bytes)
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let written = bytes[offset...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else {
                problem = String(cString: strerror(errno))
                return false
            }
            offset += written
        }
        return true
    }
}

extension CollectedStore {
    /// The difference of two commits, made with no program that either of them names.
    func diff(from base: String, to tip: String, stat: Bool) async throws -> String {
        let form = stat ? ["--stat"] : ["--patch"]
        let arguments = ["diff", "--no-ext-diff", "--no-textconv", "--no-color"] + form + [base, tip, "--"]
        let output = try await git.command(arguments).limited().run()
        return String(decoding: output.standardOutput, as: UTF8.self)
    }
}
