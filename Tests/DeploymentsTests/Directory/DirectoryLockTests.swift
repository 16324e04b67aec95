import Synchronization
import Testing

@testable import Runtimes

@Suite struct DirectoryLockTests {
    let temporary: TemporaryRoot

    init() throws {
        temporary = try TemporaryRoot()
    }

    @Test func `the second in line is told who holds the lock and then gets it`() async throws {
        let path = "\(temporary.path)/lock"
        let told = Mutex<[String]>([])
        let (waiting, started) = AsyncStream.makeStream(of: Void.self)
        var first: DirectoryLock? = try await DirectoryLock.acquire(path: path, holder: "so start (pid 1)") { _ in }
        async let second: Void = {
            _ = try await DirectoryLock.acquire(path: path, holder: "so stop (pid 2)") { holder in
                told.withLock { $0.append(holder) }
                started.yield()
            }
        }()
        for await _ in waiting { break }
        _ = first != nil
        first = nil
        try await second
        #expect(told.withLock { $0 } == ["so start (pid 1)"])
    }

    @Test func `a cancelled wait ends`() async throws {
        let path = "\(temporary.path)/lock"
        let (waiting, started) = AsyncStream.makeStream(of: Void.self)
        let first = try await DirectoryLock.acquire(path: path, holder: "first") { _ in }
        let second = Task {
            _ = try await DirectoryLock.acquire(path: path, holder: "second") { _ in started.yield() }
        }
        for await _ in waiting { break }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(try String(decoding: Files.read(path), as: UTF8.self) == "first")
        _ = consume first
    }
}
