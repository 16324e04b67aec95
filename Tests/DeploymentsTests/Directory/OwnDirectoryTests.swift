import FoundationEssentials
import Rendering
import TestSupport
import Testing

@testable import Deployments
@testable import Runtimes

/// What `stop --delete-volumes` may delete of a deployment directory.
@Suite struct OwnDirectoryTests {
    private func model(_ root: String, made: Set<String>) -> DeploymentModel {
        var model = DeploymentModel(
            id: "x", namespace: "so-x", stackName: "x", owner: root, stateDirectory: root + "/.state",
            dataDirectory: root + "/data", secretsFile: root + "/.state/s", rendered: RenderedDeployment())
        model.madeDirectories = made
        return model
    }

    @Test func `a directory that so did not make is kept and named`() throws {
        let root = try TemporaryRoot().path
        try write("x", to: root + "/data/made/a")
        try write("x", to: root + "/data/imported/a")
        let model = model(root, made: [root + "/data/made"])
        #expect(model.ownDirectories() == [root + "/data/made"])
        #expect(model.keptDirectories() == [root + "/data/imported"])
        removeTree(root)
    }

    @Test func `what data leads to by a link is not deleted`() throws {
        let holder = try TemporaryRoot()
        let root = holder.path + "/d"
        try write("x", to: holder.path + "/big/made/a")
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: root + "/data", withDestinationPath: "../big")
        let model = model(root, made: [root + "/data/made"])
        #expect(model.ownDirectories().isEmpty)
        #expect(model.keptDirectories() == [root + "/data"])
    }

    @Test func `a link below data is not followed`() throws {
        let holder = try TemporaryRoot()
        let root = holder.path + "/d"
        try write("x", to: holder.path + "/big/inner/a")
        try FileManager.default.createDirectory(atPath: root + "/data", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: root + "/data/a", withDestinationPath: "../../big")
        let model = model(root, made: [root + "/data/a/inner"])
        #expect(model.ownDirectories().isEmpty)
    }

    @Test func `only directories that were not there are recorded as made`() throws {
        let holder = try TemporaryRoot()
        let directory = DeploymentDirectory(root: holder.path, identity: .sample)
        try Files.makeDirectory(directory.stateDirectory, mode: 0o700)
        try write("x", to: holder.path + "/data/old/a")
        try directory.recordMade(["data/old", "data/new", "config/x"])
        #expect(try directory.madeDirectories() == [holder.path + "/data/new"])
    }

    @Test func `registry logins of a killed command go with the next one`() throws {
        let holder = try TemporaryRoot()
        let directory = DeploymentDirectory(root: holder.path, identity: .sample)
        try write("{}", to: directory.stateDirectory + "/registry-logins.json")
        try directory.recover()
        #expect(!Files.exists(directory.stateDirectory + "/registry-logins.json"))
    }

    @Test func `a secret that cannot be used is refused before anything is stored`() throws {
        let importing = SecretImport(known: ["A", "B"], stored: ["B": String(repeating: "b", count: 1 << 20)])
        #expect(throws: DeploymentError.self) { try importing.changes(["A": "x\0y"], replaces: false) }
        #expect(throws: DeploymentError.self) {
            try importing.changes(["A": String(repeating: "a", count: 128 << 10)], replaces: false)
        }
        #expect(throws: DeploymentError.self) { try importing.changes(["A": "fits, but not with B"], replaces: false) }
        let empty = SecretImport(known: ["A"], stored: [:])
        #expect(try empty.changes(["A": String(repeating: "a", count: 100 << 10)], replaces: false) == ["A"])
    }

    @Test func `a full disk leaves no part of a secret, and what was there stays`() async throws {
        let holder = try TemporaryRoot()
        let small = holder.path + "/small"
        try Files.makeDirectory(small)
        let mounted = try await TestSupport.run(
            "mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", small], environment: TestSupport.Podman.environment)
        guard mounted.succeeded else { try Test.cancel("cannot mount a small disk here: \(mounted.errors)") }
        let file = small + "/generated-secrets.yml"
        try PrivateFile.write(Array("old\n".utf8), to: file)
        let error = #expect(throws: DeploymentError.self) {
            try PrivateFile.write(Array(repeating: 1, count: 256 << 10), to: file)
        }
        let left = try Files.list(small)
        let kept = try Files.read(file)
        _ = try await TestSupport.run("umount", [small], environment: TestSupport.Podman.environment)
        #expect(error?.code == .cannotCreate && left == ["generated-secrets.yml"] && kept == Array("old\n".utf8))
    }
}
