import ExternalTools
import SystemCrypto

/// Git on a bare repository of ours, talking to the forge: no configuration, hook or helper of anybody plays a part.
struct ForgeGit: Sendable {
    var directory: String
    /// The operator's environment, of which git gets ``inherited``.
    var host: [String: String]
    /// Where the token goes, and the token.
    var credential: (url: String, user: String, token: String)?

    private static let inherited = VariableSelection(
        names: [
            "PATH", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "HTTPS_PROXY", "https_proxy",
            "HTTP_PROXY", "http_proxy", "NO_PROXY", "no_proxy",
        ])
    private static let settings = [
        ("core.hooksPath", "/dev/null"), ("core.askPass", ""), ("credential.helper", ""), ("protocol.allow", "never"),
        ("protocol.https.allow", "always"), ("protocol.http.allow", "always"), ("http.followRedirects", "false"),
        ("push.gpgSign", "false"), ("submodule.recurse", "false"), ("gc.auto", "0"),
    ]

    func command(_ arguments: [String], input: [UInt8]? = nil) -> Command {
        var command = Command("git", ["--git-dir", directory, "--no-pager"] + arguments, host: host)
        command.inherited = Self.inherited
        command.isDetached = true
        command.input = input
        command.environment = [
            "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_ATTR_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1", "HOME": "/nonexistent",
        ]
        var all = Self.settings + [("safe.directory", directory)]
        if let credential {
            // In the environment, which only the same user and root can read; the command line is everybody's.
            let basic = base64(Array("\(credential.user):\(credential.token)".utf8))
            all.append(("http.\(credential.url).extraHeader", "Authorization: Basic \(basic)"))
        }
        command.environment["GIT_CONFIG_COUNT"] = "\(all.count)"
        for (index, setting) in all.enumerated() {
            command.environment["GIT_CONFIG_KEY_\(index)"] = setting.0
            command.environment["GIT_CONFIG_VALUE_\(index)"] = setting.1
        }
        return command
    }

    /// What git prints.
    ///
    /// - Parameter isLimited: it looks at what an agent made, and may take no more than so much for it.
    @discardableResult
    func run(
        _ arguments: [String], input: [UInt8]? = nil, to purpose: String, isLimited: Bool = false
    ) async throws(OrchestratorError) -> String {
        do {
            let command = command(arguments, input: input)
            return try await (isLimited ? command.limited() : command).run().text
        } catch {
            throw Self.error(error, purpose)
        }
    }

    static func error(_ failure: CommandFailure, _ purpose: String) -> OrchestratorError {
        let said = failure.standardError.isEmpty ? failure.description : failure.standardError
        return OrchestratorError(.failed, "cannot \(purpose)", cause: redacted(textWithoutCredentials(said)))
    }
}
