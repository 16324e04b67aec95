import FoundationEssentials
import Glibc
import TestSupport
import Testing

/// What is there and may not be read is neither missing nor invalid: exit code 77.
@Suite struct DeniedInputTests {
    /// Runs `so` as somebody to whom the modes of files apply: root passes them by two capabilities.
    private func restricted(_ sandbox: Sandbox, _ arguments: [String]) async throws -> Finished {
        let drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
        let command = (geteuid() == 0 ? drop : []) + [Sandbox.binary] + arguments
        return try await run(
            "/usr/bin/env", command, environment: sandbox.environment, directory: sandbox.directory)
    }

    private func refused(
        _ sandbox: Sandbox, _ path: String, _ arguments: [String], location: SourceLocation = #_sourceLocation
    ) async throws {
        let mode = try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
        chmod(path, 0)
        let told = try await restricted(sandbox, arguments)
        chmod(path, mode_t(mode))
        #expect(told.status == 77, "\(path): \(told)", sourceLocation: location)
        #expect(told.errors.contains(path) && told.errors.contains("hint: "), "\(told)", sourceLocation: location)
        let allowed = try await restricted(sandbox, arguments)
        #expect(allowed.status == 0, "\(allowed)", sourceLocation: location)
    }

    @Test func `what a compose project names and may not be read is said so`() async throws {
        try await withPodlessSandbox { sandbox in
            let root = sandbox.directory
            try write(
                "services:\n  web: {image: i, env_file: ./web.env, configs: [page]}\nconfigs: {page: {file: ./page}}\n",
                to: root + "/compose.yml")
            try write("A=1\n", to: root + "/web.env")
            try write("page\n", to: root + "/page")
            for file in ["compose.yml", "web.env"] {
                try await refused(sandbox, "\(root)/\(file)", ["config"])
            }
            for file in ["compose.yml", "web.env", "page"] {
                try await refused(sandbox, "\(root)/\(file)", ["render", "-f", "compose.yml"])
            }
        }
    }

    @Test func `what a stack or a deployment holds and may not be read is said so`() async throws {
        try await withPodlessSandbox { sandbox in
            try await sandbox.create("services:\n  web: {image: i}\n")
            let validate = ["validate-stack", sandbox.stackDirectory]
            let repository = sandbox.directory + "/repo"
            for path in [
                sandbox.stackDirectory, "\(sandbox.stackDirectory)/stack.yml", "\(repository)/compose",
                "\(repository)/compose/docker-compose-\(sandbox.stack).yml",
            ] {
                try await refused(sandbox, path, validate)
            }
            let plan = ["deployment", "--dir", sandbox.deployment, "config"]
            for path in ["", "/deployment.yml", "/spec.yml", "/compose", "/.state"] {
                try await refused(sandbox, sandbox.deployment + path, plan)
            }
        }
    }
}
