import ExternalTools
import Glibc
import Runtimes
import SystemCrypto

/// Brings a project's commits into a pod that cannot mount the base store: as a pack, through exec, in pieces that are checked one by one.
///
/// It goes on where it was cut short, as long as it is the same pack: the pod says how much it has.
struct BaseTransfer {
    private let store: BaseStore
    /// The bare repository in the pod.
    private let directory: String
    /// Of one piece, in bytes.
    var pieceSize = 16 << 20

    init(_ store: BaseStore, to directory: String) {
        self.store = store
        self.directory = directory
    }

    /// Makes the bare repository in the pod, unless it is there already.
    ///
    /// - Throws: ``WorkspaceError`` (`failed`) where the pod does not take a piece, tried three times.
    func bring(_ session: SessionID, _ start: StartingPoint, into pod: some PodShell) async throws {
        let test = ["test", "-f", "\(directory)/so-complete"]
        if try await pod.capture(test, limit: 4096).status == 0 { return }
        let stores = store.stores
        let pack = "\(stores.directory)/base-\(session).pack"
        defer { try? Files.remove(pack) }
        let references = try await references(start)
        let lock = try await stores.lock(stores.base)
        let revisions = Set(references.map(\.commit)).sorted().joined(separator: "\n") + "\n"
        let packing = stores.git(stores.base).command(
            ["pack-objects", "--revs", "--stdout", "-q", "--delta-base-offset"], input: Array(revisions.utf8))
        try await HostGit.through(pack, .output, packing, to: "gather the project's commits")
        _ = consume lock
        try await send(pack, to: pod)
        let shallow = try Files.readIfPresent("\(stores.base)/shallow") ?? []
        let lines = references.map { "create \($0.name) \($0.commit)\n" }.joined()
        let input = Array("\(shallow.count)\n".utf8) + shallow + Array(lines.utf8)
        let output = try await pod.capture(["sh", "-c", Self.completion, "so-base", directory], input: input)
        guard output.status == 0 else {
            throw WorkspaceError(
                .failed, "the pod does not take the project's commits", cause: output.standardError,
                hint: "the image needs git: `git --version` in it")
        }
    }

    /// Names of the pod's own, so that nothing of them is taken for an option or a branch.
    private func references(_ start: StartingPoint) async throws -> [(name: String, commit: String)] {
        [("refs/so/base", start.commit)] + (try await store.origins())
    }

    private func send(_ pack: String, to pod: some PodShell) async throws {
        let descriptor = open(pack, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw WorkspaceError(.cannotCreate, "\(pack) cannot be read", cause: String(cString: strerror(errno)))
        }
        defer { close(descriptor) }
        var offset = 0
        while case let piece = try Self.read(descriptor, at: offset, pieceSize), !piece.isEmpty {
            try await send(piece, at: offset, to: pod)
            offset += piece.count
        }
    }

    private func send(_ piece: [UInt8], at offset: Int, to pod: some PodShell) async throws {
        let words = [directory, "\(offset)", "\(piece.count)", sha256Hex(piece)]
        var cause = ""
        for _ in 0..<3 {
            do throws(WorkspaceError) {
                let command = ["sh", "-c", Self.taking, "so-base"] + words
                let output = try await pod.capture(command, input: piece, limit: 4096)
                if output.status == 0 { return }
                cause = output.standardError
            } catch {
                guard error.code != .cancelled else { throw error }
                cause = error.description
            }
        }
        throw WorkspaceError(
            .failed, "the project's commits cannot be brought into the pod: byte \(offset) of their pack", cause: cause,
            hint: "try again; `resources: {disk: …}` in workspace.yml makes its volume larger")
    }

    private static func read(_ descriptor: Int32, at offset: Int, _ size: Int) throws(WorkspaceError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: size)
        var count = 0
        while count < size {
            let more = bytes[count...].withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress, $0.count, off_t(offset + count))
            }
            if more < 0 && errno == EINTR { continue }
            guard more >= 0 else {
                throw WorkspaceError(.failed, "the pack cannot be read", cause: String(cString: strerror(errno)))
            }
            if more == 0 { break }
            count += more
        }
        return Array(bytes[..<count])
    }

    /// Takes one piece: whole and as it was sent, or not at all.
    static let taking = """
        set -eu
        dir=$1 offset=$2 length=$3 digest=$4
        [ -d "$dir" ] || { mkdir -p "$dir.new" && git init -q --bare "$dir.new" && mv "$dir.new" "$dir"; }
        part=$dir/incoming.pack
        : >>"$part"
        size=$(wc -c <"$part")
        if [ "$size" -lt "$offset" ]; then echo "so: it has $size bytes of the pack, not $offset" >&2; exit 4; fi
        head -c "$length" >"$dir/piece"
        [ "$(sha256sum <"$dir/piece" | cut -c 1-64)" = "$digest" ] || { echo 'so: a piece came otherwise' >&2; exit 3; }
        if [ "$size" -gt "$offset" ]; then head -c "$offset" "$part" >"$part.new" && mv "$part.new" "$part"; fi
        cat "$dir/piece" >>"$part"
        rm -f "$dir/piece"
        """

    /// Reads a count, as many bytes of git's file `shallow`, and the references for `git update-ref --stdin`.
    private static let completion = """
        set -eu
        cd "$1"
        read -r count
        if [ "$count" -gt 0 ]; then head -c "$count" >shallow; fi
        git index-pack --stdin <incoming.pack >/dev/null
        git for-each-ref --format='delete %(refname)' | git update-ref --stdin
        git update-ref --stdin
        rm -f incoming.pack
        git config gc.auto 0
        : >so-complete
        """
}
