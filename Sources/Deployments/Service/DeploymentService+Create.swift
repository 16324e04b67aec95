import YAML

extension DeploymentService {
    /// Makes a new deployment directory of what was decided: all of it, or nothing.
    @discardableResult
    package func create(
        _ request: CreateRequest, _ prepared: PreparedDirectory, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> DeploymentDirectory {
        try await createDirectory(request, contents: prepared.contents, complete: Self.createHooks(request, events))
    }

    /// Brings an existing deployment directory up to its stack and spec.
    package func updateFiles(
        of directory: DeploymentDirectory, _ options: CreateOptions, events: @escaping DeploymentEventHandler = { _ in }
    ) async throws -> DirectoryUpdate {
        try await locked(directory, verb: "deploy create --update", events: events) {
            // Only now: the spec may be the deployment's own, which a killed update or the command waited for was writing.
            let request = try await request(options, isUpdate: true, events: events)
            return try await bringUp(directory, to: request, events: events)
        }
    }

    /// The deployment directory that an update is about.
    package func directory(toUpdate options: CreateOptions) async throws -> DeploymentDirectory {
        if let directory = options.directory { return try DeploymentDirectory.open(host.absolute(directory)) }
        return try DeploymentDirectory.open(await request(options, isUpdate: true).directory)
    }

    /// The same as ``bringUp(_:to:events:)``, told as an event where anything is new.
    func update(
        _ directory: DeploymentDirectory, from request: CreateRequest, events: @escaping DeploymentEventHandler
    ) async throws {
        let update = try await bringUp(directory, to: request, events: events)
        if update.hasNews { events(.updated(update, directory: directory.root)) }
    }

    /// Brings a directory up to a stack and spec; the caller holds the lock.
    private func bringUp(
        _ directory: DeploymentDirectory, to request: CreateRequest, events: @escaping DeploymentEventHandler
    ) async throws -> DirectoryUpdate {
        let changes = try directory.volumeChanges(request)
        var request = request
        request.spec.place(changes.placed)
        let prepared = try prepareDirectory(request)
        prepared.warnings.tell(events)
        let known = Set(try directory.placedVolumeNames())
        try directory.record(changes)
        let update = try await updateDirectory(
            directory, request, contents: prepared.contents, complete: Self.createHooks(request, events))
        for line in changes.notes(besides: known) { events(.message(line)) }
        return update
    }

    /// What completes a directory: the stack's create hooks, whose lines are events.
    static func createHooks(
        _ request: CreateRequest, _ events: @escaping DeploymentEventHandler
    ) -> DirectoryCompletion {
        { directory in
            try await runCreateHooks(request, in: directory) { line in
                events(.output(of: "create hook", line: line))
            }
        }
    }
}

extension VolumeChanges {
    /// What a user should know of the deployment's volumes.
    fileprivate func notes(besides known: Set<String>) -> [String] {
        placed.filter { !known.contains($0.key) }.map { name, path in
            "volume   \(name) is new: its data goes to \(path); `volumes:` in the spec can place it elsewhere"
        }
            + dropped.map { volume in
                "volume   \(volume) is mounted by nothing any more: it stays until `stop --delete-volumes`"
            }
    }
}
