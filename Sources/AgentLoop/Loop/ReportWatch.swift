import Dispatch
import FoundationEssentials
import Glibc

/// What runs in a pod through exec and tells each version of a file as a line of JSON, until its peer is gone.
package struct ReportWatch: Sendable {
    /// One line of the stream.
    package struct Line: Codable, Hashable, Sendable {
        /// Grows with every version that this stream has told; a heartbeat repeats the last.
        package var sequence: Int
        /// The file's text; nil: a heartbeat, or a problem.
        package var text: String?
        /// Why a version could not be told, such as its size.
        package var problem: String?

        package init(sequence: Int, text: String? = nil, problem: String? = nil) {
            self.sequence = sequence
            self.text = text
            self.problem = problem
        }

        /// The version that there is; nil where there is none.
        package static func current(_ path: String) -> Line? {
            do {
                return try AtomicFile.read(path, limit: YAMLSize.limit).map {
                    Line(sequence: 1, text: String(decoding: $0, as: UTF8.self))
                }
            } catch {
                return Line(sequence: 1, problem: error.description)
            }
        }

        package func encoded() throws -> String { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
    }

    private let path: String
    private let heartbeat: Duration
    /// False: nobody reads any more.
    private let write: @Sendable (String) -> Bool

    package init(
        path: String, heartbeat: Duration = .seconds(15), write: @escaping @Sendable (String) -> Bool
    ) {
        self.path = path
        self.heartbeat = heartbeat
        self.write = write
    }

    /// Tells the version that there is, then each one that comes, or a later one. It ends when nobody reads any more.
    package func run() async throws {
        let folder = String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex))
        // The watch may be there before the agent.
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let changes = try DirectoryChanges.stream(of: folder)
        let teller = Teller(path: path, write: write)
        let heartbeat = heartbeat
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                guard await teller.tell() else { return }
                for await _ in changes { guard await teller.tell() else { return } }
            }
            group.addTask {
                // A client that was killed is noticed by what can no longer be written.
                while await teller.beat() { do { try await Task.sleep(for: heartbeat) } catch { return } }
            }
            await group.next()
            group.cancelAll()
        }
    }

    private actor Teller {
        let path: String
        let write: @Sendable (String) -> Bool
        private var sequence = 0
        private var last: Line?

        init(path: String, write: @escaping @Sendable (String) -> Bool) {
            self.path = path
            self.write = write
        }

        func tell() -> Bool {
            guard var line = Line.current(path) else { return true }
            guard line.text != last?.text || line.problem != last?.problem else { return true }
            last = line
            sequence += 1
            line.sequence = sequence
            return put(line)
        }

        func beat() -> Bool { put(Line(sequence: sequence)) }

        private func put(_ line: Line) -> Bool {
            guard let text = try? line.encoded() else { return true }
            return write(text + "\n")
        }
    }
}
