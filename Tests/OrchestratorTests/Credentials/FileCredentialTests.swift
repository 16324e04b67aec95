import FoundationEssentials
import Orchestrator
import SystemCrypto
import TestSupport
import Testing

@Suite struct FileCredentialTests {
    private let secret = Array("sk-ant-the-secret-itself".utf8)

    @Test func `nothing on disk holds the value, and nobody else may read it`() async throws {
        try await withTemporaryDirectory { directory in
            let backend = try FileCredentials(directory: directory + "/c", keys: .file(directory + "/keys/key"))
            try await backend.set("KEY", to: secret)
            #expect(try files(below: directory, holding: "the-secret-itself").isEmpty)
            #expect(try files(below: directory, holding: base64(secret)).isEmpty)
            #expect(try mode(directory + "/c/KEY") == 0o600 && mode(directory + "/keys/key") == 0o600)
            #expect(try mode(directory + "/c") == 0o700)
        }
    }

    @Test func `a rotation seals again, and the old key opens nothing any more`() async throws {
        try await withTemporaryDirectory { directory in
            let (store, key) = (directory + "/c", directory + "/key")
            let backend = try FileCredentials(directory: store, keys: .file(key))
            try await backend.set("KEY", to: secret)
            let (oldKey, oldFile) = (try read(key), try read(store + "/KEY"))
            try await backend.rotate()
            #expect(try await backend.value(of: "KEY") == secret)
            #expect(try read(key) != oldKey && read(store + "/KEY") != oldFile)
            #expect(try read(key).split(separator: "\n").count == 1)
            let withOldKey = try FileCredentials(directory: store, keys: .text(oldKey))
            let error = await #expect(throws: OrchestratorError.self) { try await withOldKey.value(of: "KEY") }
            #expect(error?.code == .notPermitted)
        }
    }

    @Test func `a rotation that was cut short is read, and finished by the next one`() async throws {
        try await withTemporaryDirectory { directory in
            let (store, key) = (directory + "/c", directory + "/key")
            let first = try FileCredentials(directory: store, keys: .file(key))
            try await first.set("A", to: secret)
            try await first.set("B", to: secret)
            // As it is after the new key was written, and one of the two sealed again.
            let new = try SealingKey.random().base64Text
            try write("\(new)\n\(try read(key))", to: key, mode: 0o600)
            let halfway = try FileCredentials(directory: store, keys: .file(key))
            try await halfway.set("A", to: secret)
            let again = try FileCredentials(directory: store, keys: .file(key))
            #expect(try await again.value(of: "A") == secret)
            #expect(try await again.value(of: "B") == secret)
            try await again.rotate()
            #expect(try await again.value(of: "B") == secret)
        }
    }

    @Test func `another replica on the same host goes on after a rotation, and seals with the new key`() async throws {
        try await withTemporaryDirectory { directory in
            let (store, key) = (directory + "/c", directory + "/key")
            let first = try FileCredentials(directory: store, keys: .file(key))
            try await first.set("A", to: secret)
            let second = try FileCredentials(directory: store, keys: .file(key))
            try await first.rotate()
            #expect(try await second.value(of: "A") == secret)
            try await first.rotate()
            try await second.set("B", to: secret)
            #expect(try await first.value(of: "B") == secret)
            #expect(try read(key).split(separator: "\n").count == 1)
        }
    }

    @Test func `a file that was changed, renamed or never sealed is named and not shown`() async throws {
        try await withTemporaryDirectory { directory in
            let store = directory + "/c"
            let backend = try FileCredentials(directory: store, keys: .file(directory + "/key"))
            try await backend.set("KEY", to: secret)
            let sealed = try read(store + "/KEY")
            try write(sealed, to: store + "/OTHER", mode: 0o600)
            let error = await #expect(throws: OrchestratorError.self) { try await backend.value(of: "OTHER") }
            #expect(error?.code == .invalid)
            try write("sk-ant-plain", to: store + "/PLAIN", mode: 0o600)
            let plain = await #expect(throws: OrchestratorError.self) { try await backend.value(of: "PLAIN") }
            #expect(plain?.description.contains("sk-ant-plain") == false)
        }
    }

    @Test func `a key that others may read, that is none, or that is lost is refused with what to do`() async throws {
        try await withTemporaryDirectory { directory in
            let (store, key) = (directory + "/c", directory + "/key")
            let backend = try FileCredentials(directory: store, keys: .file(key))
            try await backend.set("KEY", to: secret)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            var error = #expect(throws: OrchestratorError.self) {
                try FileCredentials(directory: store, keys: .file(key))
            }
            #expect(error?.code == .notPermitted && error?.hint == "chmod 600 \(key)")
            try write("hunter2\n", to: key, mode: 0o600)
            error = #expect(throws: OrchestratorError.self) { try FileCredentials(directory: store, keys: .file(key)) }
            #expect(error?.code == .invalid && error?.description.contains("hunter2") == false)
            // A new key is never made beside what the old one sealed.
            removeTree(key)
            error = #expect(throws: OrchestratorError.self) { try FileCredentials(directory: store, keys: .file(key)) }
            #expect(error?.code == .missing && !exists(key))
        }
    }
}
