import FoundationEssentials
import Glibc
import TestSupport
import Testing

@testable import Runtimes

@Suite struct ContainerProcessTests {
    @Test func `a process is the container's only if it is older than what podman wrote of it`() async throws {
        try await withTemporaryDirectory { directory in
            let process = ContainerProcess(directory: directory, name: "so-x_web_web")
            #expect(process.number == nil && !process.runs)
            try TestSupport.write("\(getpid())\n", to: process.file)
            #expect(process.number == getpid() && process.runs)
            // Since a reboot another one has the number.
            let day = Date().addingTimeInterval(-86_400)
            try FileManager.default.setAttributes([.modificationDate: day], ofItemAtPath: process.file)
            #expect(!process.runs)
            try TestSupport.write("2147483647\n", to: process.file)
            #expect(!process.runs)
        }
    }

    @Test func `what a killed start left of it is removed, also under the name of a file half written`() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["c", ".c", "d"] { try TestSupport.write("1", to: "\(directory)/\(name)") }
            ContainerProcess(directory: directory, name: "c").removeLeft()
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["d"])
        }
    }
}
