import ExternalTools
import FoundationEssentials
package import Rendering
import Runtimes
package import Specs
import Synchronization
import YAML

/// The numbers of users and groups that compose files name, as the images say them: Kubernetes takes numbers only.
struct ImageUsers: Hashable, Sendable {
    /// By image, the number of each `user:name` and `group:name`.
    var numbers: [String: [String: Int]] = [:]

    func number(_ name: ImageUser) -> Int? { numbers[name.image]?[name.key] }

    init() {}

    init(node: Node) {
        for image in node.mapping?.entries ?? [] {
            for entry in image.value.mapping?.entries ?? [] {
                numbers[image.key, default: [:]][entry.key] = entry.value.intValue
            }
        }
    }

    var yaml: String {
        Node.map(
            numbers.sorted { $0.key < $1.key }.map { image, names in
                (image, .map(names.sorted { $0.key < $1.key }.map { ($0.key, .plain("\($0.value)")) }))
            }
        ).yaml()
    }
}

extension ImageUser {
    fileprivate var key: String { (isGroup ? "group:" : "user:") + name }
    /// https://man7.org/linux/man-pages/man5/passwd.5.html
    fileprivate var file: String { isGroup ? "/etc/group" : "/etc/passwd" }
}

extension ImageUsers {
    /// Where a deployment keeps what was found.
    private static func file(in stateDirectory: String) -> String { "\(stateDirectory)/image-users.yml" }

    /// What a deployment has found before.
    static func kept(in stateDirectory: String) throws -> ImageUsers {
        let file = file(in: stateDirectory)
        guard let bytes = try Files.readIfPresent(file) else { return ImageUsers() }
        return ImageUsers(node: try loadYAMLDocument(bytes, file: file))
    }

    /// Looks the users that a rendering asks for, and that are not known yet, up in images of this host; runs none of them. Keeps what it finds.
    ///
    /// - Parameters:
    ///   - host: the operator's environment.
    ///   - render: renders with this answer to the question for a user's number.
    /// - Returns: whether a number was found that was not known before.
    static func complete(
        in stateDirectory: String, host: [String: String],
        render: (@escaping @Sendable (ImageUser) -> Int?) throws -> Void
    ) async throws -> Bool {
        let known = try kept(in: stateDirectory)
        let missing = AskedUsers()
        // Every user counts as found: which ones were asked for is the question.
        try render { user in
            if let number = known.number(user) { return number }
            missing.add(user)
            return 0
        }
        let found = await lookUp(missing.all, host: host)
        guard !found.numbers.isEmpty else { return false }
        var all = known
        all.numbers.merge(found.numbers) { $0.merging($1) { $1 } }
        try Files.write(Array(all.yaml.utf8), to: file(in: stateDirectory))
        return true
    }
}

extension DeploymentDirectory {
    func imageUsers() throws -> ImageUsers { try .kept(in: stateDirectory) }

    /// Looks users that the compose files name up in images of this host; see ``ImageUsers/complete(in:host:render:)``.
    package func lookUpUsers(_ options: LayerOptions) async throws -> Bool {
        try await ImageUsers.complete(in: stateDirectory, host: options.hostEnvironment) { number in
            _ = try LoadedDeployment.load(self, options: options) { $0.userNumber = number }
        }
    }
}

extension ImageUsers {
    /// Looks users up in images of this host; runs none of them.
    ///
    /// - Parameter host: the operator's environment.
    static func lookUp(_ users: Set<ImageUser>, host: [String: String]) async -> ImageUsers {
        let podman = Kind(provider: .podman, host: host)
        let wanted = Dictionary(grouping: users, by: \.image)
        var found = ImageUsers()
        for image in await LocalImage.find(Set(wanted.keys), by: podman) {
            for user in wanted[image.name] ?? [] {
                guard let number = await image.number(of: user, in: podman.with(image.store)) else { continue }
                found.numbers[image.name, default: [:]][user.key] = number
            }
        }
        return found
    }
}

extension LoadedDeployment {
    /// Reads the deployment; users that only the images know by their numbers are looked up once.
    ///
    /// - Throws: as ``load(_:options:allocatesPorts:adjust:)``.
    package static func complete(
        _ directory: DeploymentDirectory, options: LayerOptions, allocatesPorts: Bool = false,
        adjust: (inout RenderOptions) -> Void = { _ in }
    ) async throws -> LoadedDeployment {
        do {
            return try load(directory, options: options, allocatesPorts: allocatesPorts, adjust: adjust)
        } catch let error as InvalidInput {
            guard (try? await directory.lookUpUsers(options)) == true else { throw error }
            return try load(directory, options: options, allocatesPorts: allocatesPorts, adjust: adjust)
        }
    }
}

/// The users that a render asked for.
final class AskedUsers: Sendable {
    private let users = Mutex<Set<ImageUser>>([])

    /// - Returns: nil, for nobody has looked yet.
    @discardableResult
    func add(_ user: ImageUser) -> Int? {
        users.withLock { _ = $0.insert(user) }
        return nil
    }

    var all: Set<ImageUser> { users.withLock { $0 } }
}

extension LocalImage {
    /// What the image's own files say; nil where they do not name it. The container that they are copied from is never started.
    fileprivate func number(of user: ImageUser, in engine: Kind) async -> Int? {
        guard let made = try? await engine.makeContainer(of: name).run() else { return nil }
        let copied = try? await engine.copy(user.file, from: made.text).run()
        _ = try? await engine.removeContainer(made.text).result()
        guard let archive = copied?.standardOutput, let file = Self.onlyFile(in: archive) else { return nil }
        return Self.number(of: user.name, in: file)
    }

    /// `name:x:1000:…`, the same in both files.
    static func number(of name: String, in file: some Sequence<UInt8>) -> Int? {
        for line in String(decoding: Array(file), as: UTF8.self).split(whereSeparator: \.isNewline) {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count > 2, fields[0] == name { return Int(fields[2]).flatMap { $0 >= 0 ? $0 : nil } }
        }
        return nil
    }

    /// The content of an archive's first entry, if it is a plain file: a link of an image leads nowhere.
    /// https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html#tag_20_94_13_06
    static func onlyFile(in archive: [UInt8]) -> ArraySlice<UInt8>? {
        guard archive.count >= 512, [0, UInt8(ascii: "0")].contains(archive[156]) else { return nil }
        let digits = archive[124..<136].prefix { $0 != 0 && $0 != UInt8(ascii: " ") }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 8), size >= 0, size <= archive.count - 512
        else { return nil }
        return archive[512..<512 + size]
    }
}
