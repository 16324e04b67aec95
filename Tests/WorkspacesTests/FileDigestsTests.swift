import FoundationEssentials
import SystemCrypto
import TestSupport
import Testing

@testable import Workspaces

@Suite struct FileDigestsTests {
    @Test func `a digest is taken from the record as long as the file is the same, and never else`() async throws {
        try await withTemporaryDirectory { directory in
            let (file, digests) = (directory + "/program", FileDigests(directory: directory + "/digests"))
            try write("one", to: file)
            // What was changed a moment ago is not remembered: it could be changed again in the same moment.
            #expect(try digests.digest(of: file) == sha256Hex("one"))
            #expect(!exists(digests.directory))
            try await eventually("the file is old enough to be remembered") {
                (try? digests.digest(of: file)) == sha256Hex("one") && exists(digests.directory)
            }
            let record =
                "\(digests.directory)/\(try FileManager.default.contentsOfDirectory(atPath: digests.directory)[0])"
            let known = try read(record)
            try write(known.replacing(sha256Hex("one"), with: sha256Hex("known")), to: record)
            #expect(try digests.digest(of: file) == sha256Hex("known"))
            try write("two", to: file)
            #expect(try digests.digest(of: file) == sha256Hex("two"))
            try write("torn", to: record)
            #expect(try digests.digest(of: file) == sha256Hex("two"))
        }
    }
}
