import AgentLoop
import FoundationEssentials
import Glibc
import Synchronization
import TestSupport
import Testing

/// The program itself, as it stands in a pod.
@Suite struct ProgramTests {
    private let program = Shared.packageRoot + "/.build/debug/so-agent"
    private let environment = ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"]

    @Test func `it needs no library of the image`() async throws {
        let finished = try await run("ldd", [program], environment: environment)
        #expect(
            finished.everything.contains("not a dynamic executable")
                || finished.everything.contains("statically linked"))
    }

    @Test func `run works off a tasking.yaml and ends`() async throws {
        try await withTemporaryDirectory("so-agent") { directory in
            let repository = try await GitRepository(directory + "/shop")
            try await repository.commit(["README.md": "shop\n"])
            let configuration = LoopConfiguration(
                agentType: "scripted", agentID: "s-1", directory: repository.directory,
                headless: ["sh", "-c", "echo hello >greeting; echo done"], output: .text, session: "x")
            try Data(configuration.encoded()).write(to: URL(filePath: directory + "/loop.json"))
            let tasking = Tasking(
                updatedAt: "2026-11-23T12:00:00Z", workspace: "shop",
                tasks: [Tasking.Item(id: "1", title: "Greet", description: "x")])
            try write(
                String(decoding: try tasking.yaml(), as: UTF8.self), to: "\(repository.directory)/.so/tasking.yaml")
            let finished = try await run(program, ["run", directory + "/loop.json"], environment: environment)
            #expect(finished.succeeded && finished.line == "done", "\(finished)")
            #expect(try await repository.git("log", "-1", "--format=%s") == "Greet")
        }
    }

    @Test func `SIGTERM ends the CLI too and leaves a report`() async throws {
        try await withTemporaryDirectory("so-agent") { directory in
            let repository = try await GitRepository(directory + "/shop")
            try await repository.commit(["README.md": "shop\n"])
            let configuration = LoopConfiguration(
                agentType: "scripted", agentID: "s-1", directory: repository.directory,
                headless: ["sh", "-c", "echo $$ >../pid; exec sleep 600"], output: .text, session: "x")
            try Data(configuration.encoded()).write(to: URL(filePath: directory + "/loop.json"))
            let tasking = Tasking(
                updatedAt: "2026-11-23T12:00:00Z", workspace: "shop",
                tasks: [Tasking.Item(id: "1", title: "Greet", description: "x")])
            try write(
                String(decoding: try tasking.yaml(), as: UTF8.self), to: "\(repository.directory)/.so/tasking.yaml")
            let finished = try await run(program, ["run", directory + "/loop.json"], environment: environment) {
                running in
                try await eventually("the CLI runs") { exists(directory + "/pid") }
                running.terminate()
            }
            #expect(finished.status == 130)
            let pid = try read(directory + "/pid").split(separator: "\n").first ?? ""
            try await eventually("the CLI has ended") { !exists("/proc/\(pid)") }
            #expect(try read("\(repository.directory)/.so/reporting.yaml").contains("agent_id: s-1"))
        }
    }

    @Test func `watch tells each version or a later one, and refuses one that is too large`() async throws {
        try await withTemporaryDirectory("so-agent") { directory in
            let path = directory + "/reporting.yaml"
            try write("one\n", to: path)
            _ = try await run(program, ["watch", path], environment: environment) { running in
                func texts() -> [String] { lines(running.output).compactMap(\.text) }
                try await eventually("the version that is there is told") { texts() == ["one\n"] }
                try AtomicFile.write(Array("two\n".utf8), to: path)
                try await eventually("the next version is told") { texts() == ["one\n", "two\n"] }
                for number in 0..<200 { try AtomicFile.write(Array("\(number)\n".utf8), to: path) }
                try await eventually("the last of many is told") { texts().last == "199\n" }
                // A gigabyte that takes no disk.
                try #require(truncate(path, 1 << 30) == 0)
                try AtomicFile.write(Array("x".utf8), to: directory + "/other")
                try await eventually("the size is told") {
                    lines(running.output).last { $0.problem != nil } != nil
                }
                let numbers = lines(running.output).map(\.sequence)
                #expect(numbers == numbers.sorted())
                running.terminate()
            }
        }
    }

    @Test func `report tells the version that there is, nothing where there is none, and no gigabyte`() async throws {
        try await withTemporaryDirectory("so-agent") { directory in
            let path = directory + "/reporting.yaml"
            func told() async throws -> [ReportWatch.Line] {
                let finished = try await run(program, ["report", path], environment: environment)
                #expect(finished.succeeded && finished.output.utf8.count < 4096, "\(finished)")
                return lines(finished.output)
            }
            #expect(try await told() == [])
            try write("one\n", to: path)
            #expect(try await told().map(\.text) == ["one\n"])
            // A gigabyte that takes no disk, a pipe that nobody writes to, and a link to elsewhere.
            try #require(truncate(path, 1 << 30) == 0)
            #expect(try await told().first?.problem?.contains("larger than 1024 KiB") == true)
            try #require(unlink(path) == 0 && mkfifo(path, 0o600) == 0)
            #expect(try await told() == [])
            try #require(unlink(path) == 0 && symlink("/etc/passwd", path) == 0)
            #expect(try await told() == [])
        }
    }

    private func lines(_ text: String) -> [ReportWatch.Line] {
        text.split(separator: "\n").compactMap { try? JSONDecoder().decode(ReportWatch.Line.self, from: Data($0.utf8)) }
    }

    @Test func `watch ends when nobody reads any more`() async throws {
        try await withTemporaryDirectory("so-agent") { directory in
            let path = directory + "/reporting.yaml"
            try write("one\n", to: path)
            let told = Mutex(0)
            let watch = ReportWatch(path: path, heartbeat: .milliseconds(50)) { _ in
                told.withLock { count in
                    count += 1
                    return count < 4
                }
            }
            try await watch.run()
            #expect(told.withLock { $0 } >= 4)
        }
    }
}
