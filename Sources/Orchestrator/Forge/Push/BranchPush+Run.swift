import ExternalTools

extension BranchPush {
    /// Pushes the commit to the branch, and nothing else. A branch that is at the commit already is a success.
    ///
    /// - Parameter url: of the repository, without credentials.
    /// - Throws: ``TaskFailure``: `refused` where somebody else has pushed to the branch, else `forge`.
    func run(to url: String, user: String, token: String) async throws {
        let name = "refs/heads/\(branch)"
        guard Self.isObject(commit), expected.map(Self.isObject) ?? true, Self.isBranch(branch) else {
            throw OrchestratorError(.invalid, "invalid branch `\(branch)` or commit `\(commit)`")
        }
        let git = ForgeGit(directory: gitDirectory, host: host, credential: (url, user, token))
        let arguments = [
            "push", "--porcelain", "--no-verify", "--no-follow-tags", "--recurse-submodules=no",
            "--force-with-lease=\(name):\(expected ?? "")", "--", url, "\(commit):\(name)",
        ]
        let output: CommandOutput
        do {
            output = try await git.command(arguments).result()
        } catch {
            throw TaskFailure(.forge, ForgeGit.error(error, "push to \(repository.name)").description)
        }
        if output.status == 0 { return }
        let standing = try await Self.standing(name, at: url, git, repository.name)
        if standing == commit { return }
        // Somebody has deleted it, or it is our own push that was cut short: nothing of theirs is overwritten.
        if standing != expected, standing == nil || begun.contains(standing ?? "") {
            return try await Self(
                repository: repository, gitDirectory: gitDirectory, host: host, branch: branch, commit: commit,
                expected: standing
            ).run(to: url, user: user, token: token)
        }
        // 1: the forge has answered, and refused the reference.
        let isRefused = output.status == 1
        let cause = redacted(textWithoutCredentials(output.text + "\n" + output.standardError))
        guard isRefused else { throw TaskFailure(.forge, "cannot push to \(repository.name): \(cause)") }
        if standing != expected {
            throw TaskFailure(
                .refused, "somebody else has pushed to \(branch): its commit is \(standing ?? "gone")")
        }
        throw TaskFailure(.refused, "\(repository.name) refuses the push to \(branch): \(cause)")
    }

    /// What the branch points to at the forge.
    private static func standing(
        _ name: String, at url: String, _ git: ForgeGit, _ repository: String
    ) async throws -> String? {
        do {
            let listed = try await git.run(["ls-remote", "--", url, name], to: "read the branches of \(repository)")
            return listed.split(separator: "\t").first.map(String.init)
        } catch {
            throw TaskFailure(.forge, error.description)
        }
    }

    private static func isObject(_ text: String) -> Bool {
        [40, 64].contains(text.utf8.count) && text.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }
    }

    /// Branches are named by us: letters, digits and a few signs.
    private static func isBranch(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return text.utf8.count <= 200
            && parts.allSatisfy { part in
                !part.isEmpty && !part.hasPrefix(".") && !part.hasPrefix("-") && !part.hasSuffix(".lock")
                    && !part.contains("..")
                    && part.utf8.allSatisfy { byte in
                        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                            || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                            || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "-_.".utf8.contains(byte)
                    }
            }
    }
}
