package import Compose
package import OrderedCollections
package import Runtimes
import YAML

/// The layout of a deployment directory (README, "A deployment directory").
package struct DeploymentDirectory: Hashable, Sendable {
    /// The directory's absolute path.
    package var root: String
    package var identity: Identity
    /// The compose project as a command line asks for it, instead of the one that the last `so up` wrote down.
    package var asked: FoundProject?
    /// The images that a command line chooses by service, over those that were recorded; empty: that of the files.
    package var askedImages: OrderedDictionary<String, String> = [:]

    package init(root: String, identity: Identity) {
        self.root = root
        self.identity = identity
    }

    /// Opens an existing deployment directory; whichever links lead to it, its root is one.
    ///
    /// - Throws: ``DeploymentError`` (`missing`) where there is no deployment; `InvalidInput` where its identity is broken.
    package static func open(_ path: String) throws -> DeploymentDirectory {
        let root = Files.canonical(path)
        let file = "\(root)/deployment.yml"
        guard let bytes = try Files.readIfPresent(file) else {
            throw DeploymentError(
                .missing,
                "no deployment in \(path): deployment.yml is missing",
                hint: "make one with "
                    + "`so deploy create --spec-file spec.yml --deployment-dir \(path)`")
        }
        return DeploymentDirectory(root: root, identity: try Identity(node: loadYAMLDocument(bytes, file: file)))
    }

    /// The spec that the deployment runs with.
    package var specFile: String { "\(root)/spec.yml" }
    /// The non-secret configuration, for people and scripts; `so` itself reads the spec.
    package var configFile: String { "\(root)/config.env" }
    /// The services' data; only the services and `stop --delete-volumes` write below it.
    package var dataDirectory: String { "\(root)/data" }
    /// What `so` keeps for itself: the lock, the manifest, the runtime's files, secrets.
    package var stateDirectory: String { "\(root)/.state" }
    /// The generated secrets of the podman runtime, mode 0600.
    package var secretsFile: String { "\(stateDirectory)/generated-secrets.yml" }

    /// The copy of the kubeconfig that the spec names; nil where it names none.
    package var kubeconfigFile: String? {
        let file = "\(root)/kubeconfig.yml"
        return Files.exists(file) ? file : nil
    }

    private var madeFile: String { "\(stateDirectory)/made-directories.yml" }

    /// The directories that so made for volumes, absolute: what `stop --delete-volumes` may delete. What stood there before, was
    /// imported or put there by hand is nobody's to delete.
    package func madeDirectories() throws -> Set<String> {
        guard let bytes = try Files.readIfPresent(madeFile) else { return [] }
        let paths = try loadYAMLDocument(bytes, file: madeFile).sequence?.compactMap(\.text) ?? []
        return Set(paths.map { "\(root)/\($0)" })
    }

    /// Writes down which of these directories, relative to the deployment, so is about to make.
    ///
    /// - Parameter isSynced: no for a deployment that is made durable as a whole before it has its name.
    func recordMade(_ directories: [String], isSynced: Bool = true) throws {
        let new = directories.filter { $0.hasPrefix("data/") && !Files.exists("\(root)/\($0)") }
        guard !new.isEmpty else { return }
        let known = try madeDirectories().map { String($0.dropFirst(root.count + 1)) }
        let all = Set(known + new).sorted().map { Node.string($0) }
        let bytes = Array(Node.list(all).yaml().utf8)
        if !isSynced { return try Files.writeUnsynced(bytes, to: madeFile, mode: 0o644) }
        try Files.write(bytes, to: madeFile)
    }

    private var placeFile: String { "\(stateDirectory)/directory" }

    /// Writes down where a deployment will live, before its directory has that name.
    func recordUnsynced(place: String) throws {
        try Files.writeUnsynced(Array(place.utf8), to: placeFile, mode: 0o644)
    }

    /// Refuses a copy of a deployment that still stands where it was: they share an identity, and each would stop the
    /// other's pods. A directory that was moved is recorded again. The caller holds the lock.
    ///
    /// - Throws: ``DeploymentError`` (`notPermitted`).
    package func claim() throws {
        let recorded = try Files.readIfPresent(placeFile).map { String(decoding: $0, as: UTF8.self) }
        guard recorded != root else { return }
        if let recorded, Self.isAlive(recorded, id: identity.deploymentID, besides: root) {
            throw DeploymentError(
                .notPermitted, "\(root) is a copy of the deployment in \(recorded), and has its identity",
                hint:
                    "make another deployment with `so deploy create`, or remove \(recorded) if this one replaces it"
            )
        }
        try Files.write(Array(root.utf8), to: placeFile)
    }

    /// Whether a directory is where the deployment stood before it was copied here.
    var isOriginal: @Sendable (String) -> Bool {
        let (id, root) = (identity.deploymentID, root)
        return { Self.isAlive($0, id: id, besides: root) }
    }

    /// Whether the deployment of this identity stands in a directory that is another one than `root`.
    static func isAlive(_ directory: String, id: String, besides root: String) -> Bool {
        guard directory != root, !Files.isSame(directory, root) else { return false }
        return (try? open(directory))?.identity.deploymentID == id
    }

    /// Takes the deployment's lock; see ``DirectoryLock``.
    package func lock(holder: String, waiting: @Sendable (String) -> Void) async throws -> DirectoryLock {
        try Files.makeDirectory(stateDirectory, mode: 0o700)
        return try await DirectoryLock.acquire(path: "\(stateDirectory)/lock", holder: holder, waiting: waiting)
    }
}
