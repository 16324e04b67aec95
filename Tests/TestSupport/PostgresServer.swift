import FoundationEssentials
import Glibc
import Testing

/// A PostgreSQL cluster of one test's own, on a socket in its temporary directory. Nothing listens on a port.
package struct PostgresServer: Sendable {
    /// A connection string for libpq.
    package let address: String

    /// The programs of the newest version that Debian has installed; nil where there is none.
    package static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap { Int($0) }.max().map { "\(root)/\($0)/bin" }
    }()

    package static let isAbsent = "PostgreSQL is missing: apt-get install postgresql"
}

/// Runs the body with a server; it is gone afterwards.
package func withPostgres<Result: Sendable>(
    isolation: isolated (any Actor)? = #isolation, _ body: (PostgresServer) async throws -> Result
) async throws -> Result {
    guard let programs = PostgresServer.programs else { throw PostgresFailed(reason: PostgresServer.isAbsent) }
    return try await withTemporaryDirectory("so-pg") { directory in
        var result: Result?
        let data = "\(directory)/data"
        if getuid() == 0 { _ = try await run("chown", ["postgres", directory], environment: Podman.environment) }
        let made = try await server(
            ["\(programs)/initdb", "-D", data, "-A", "trust", "-U", "so", "--no-sync", "--no-locale", "-E", "UTF8"])
        guard made.succeeded else { throw PostgresFailed(reason: "\(made)") }
        let words = ["\(programs)/postgres", "-D", data, "-k", directory, "-h", ""]
        let finished = try await server(words) { running in
            // An immediate shutdown: the data is removed anyway.
            defer { running.send(signal: SIGQUIT) }
            try await eventually("PostgreSQL answers") {
                running.errors.contains("ready to accept connections") || !running.isAlive
            }
            guard running.isAlive else { return }
            result = try await body(PostgresServer(address: "host=\(directory) user=so dbname=postgres"))
        }
        guard let result else { throw PostgresFailed(reason: "\(finished)") }
        return result
    }
}

private struct PostgresFailed: Error { var reason: String }

/// The server refuses to run as root.
private func server(
    _ words: [String], isolation: isolated (any Actor)? = #isolation,
    during: (Running) async throws -> Void = { _ in }
) async throws -> Finished {
    let drop = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"]
    let all = getuid() == 0 ? drop + words : words
    return try await run(
        all[0], Array(all.dropFirst()), environment: Podman.environment, directory: "/", during: during)
}
