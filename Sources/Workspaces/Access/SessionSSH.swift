import Deployments
package import ExternalTools
import Runtimes

/// How `ssh` gets into a session: through an exec of its pod, with keys that nobody else has. No port is opened.
package struct SessionSSH: Sendable {
    /// The name that ssh knows it by.
    package let host: String
    /// The user in the pod.
    package let user: String
    /// Holds the keys; of this user alone.
    package let directory: String
    /// The checkout in the pod.
    package let checkout: String
    /// `so session ssh-proxy <session>`, as words.
    package let proxy: [String]

    /// A section of ssh_config(5).
    package var configuration: String {
        let proxy = proxy.map { shellQuoted($0.replacing("%", with: "%%")) }.joined(separator: " ")
        return """
            # \(checkout)
            Host \(host)
              User \(user)
              ProxyCommand \(proxy)
              IdentityFile \(Self.quoted("\(directory)/id"))
              IdentitiesOnly yes
              UserKnownHostsFile \(Self.quoted("\(directory)/known_hosts"))
              StrictHostKeyChecking yes
              ForwardAgent no

            """
    }

    private static func quoted(_ path: String) -> String { "\"\(path.replacing("%", with: "%%"))\"" }
}

extension SessionService {
    /// Prepares a session for ssh: makes its keys where there are none, and gives the pod its part of them.
    ///
    /// - Parameter executable: the absolute path of `so`.
    /// - Throws: ``WorkspaceError`` (`unavailable`) where this host has no ssh client, or the pod no server.
    package func prepareSSH(_ record: SessionRecord, executable: String) async throws -> SessionSSH {
        let directory = store.directory(of: record.id) + "/ssh"
        let pod = WorkspacePod(try deployment(record))
        let asked = try await pod.capture(["sh", "-c", "test -x /usr/sbin/sshd && id -un"], limit: 4096)
        guard asked.status == 0, Self.isUserName(asked.text) else {
            throw WorkspaceError(
                .unavailable, "the image of session \(record.id) has no ssh server",
                hint: "so workspace edit --tool ssh-server, and start a new session")
        }
        try Files.makeDirectory(directory, mode: 0o700)
        let lock = try await store.lock(record.id, verb: "ssh-config")
        let own = try await key("\(directory)/id", "so-\(record.id)")
        let server = try await key("\(directory)/host", "\(record.id)")
        let line = server.public.split(separator: " ").prefix(2).joined(separator: " ")
        try Files.write(Array("\(record.id) \(line)\n".utf8), to: "\(directory)/known_hosts", mode: 0o600)
        _ = consume lock
        let input = Array(own.public.utf8) + server.private
        let installed = try await pod.capture(["sh", "-c", Self.sshInstallation], input: input, limit: 4096)
        guard installed.status == 0 else {
            throw WorkspaceError(
                .failed, "session \(record.id) cannot be prepared for ssh", cause: installed.standardError)
        }
        return SessionSSH(
            host: "\(record.id)", user: asked.text, directory: directory, checkout: checkout(record).directory,
            proxy: [executable, "session", "ssh-proxy", "\(record.id)"])
    }

    /// Speaks ssh's protocol on the caller's streams; returns the server's exit code.
    package func proxySSH(_ record: SessionRecord, on streams: CommandStreams) async throws -> Int {
        try await exec(record, ["sh", "-c", Self.sshServer], on: streams, tty: false)
    }

    /// Where the pod keeps its part, below its home.
    private static let place = "\(PodPaths.run)/ssh"

    /// The first line is the client's public key, the rest the server's private one. Logins get the pod's own environment, as exec has it.
    private static let sshInstallation = """
        set -eu
        umask 077
        mkdir -p \(place) ~/.ssh
        read -r key
        printf '%s\\n' "$key" >\(place)/authorized_keys
        cat >\(place)/host
        env -0 | tr '\\n\\0' '\\1\\n' | grep -v "$(printf '\\1')" | grep -Ev '^(PWD|OLDPWD|SHLVL|TERM|_|HOSTNAME)=' >~/.ssh/environment
        """

    /// sshd(8) of an ordinary user lets in that user alone.
    private static let sshServer = """
        [ -e \(place)/host ] || { echo 'so: this session is not prepared for ssh: so session ssh-config' >&2; exit 69; }
        exec /usr/sbin/sshd -i -f /dev/null -o HostKey=\(place)/host -o AuthorizedKeysFile=\(place)/authorized_keys \
        -o UsePAM=no -o StrictModes=no -o PasswordAuthentication=no -o KbdInteractiveAuthentication=no \
        -o PermitUserEnvironment=yes -o PidFile=none -o PrintMotd=no -o 'Subsystem=sftp internal-sftp' 2>/dev/null
        """

    /// The pod's own words: no line of a configuration is made of them unlooked at.
    private static func isUserName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 32 && text.first?.isLetter == true
            && text.utf8.allSatisfy {
                (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "_-".utf8.contains($0)
            }
    }

    private func key(_ path: String, _ comment: String) async throws -> (public: String, private: [UInt8]) {
        if !Files.exists("\(path).pub") { try await makeKey(path, comment) }
        return try readKey(path)
    }

    /// Not inlined: swift 6.3.1 crashes in LLVM's CoroSplit where an optimised asynchronous function holds these two reads.
    @inline(never)
    private func readKey(_ path: String) throws -> (public: String, private: [UInt8]) {
        (String(decoding: try Files.read("\(path).pub"), as: UTF8.self), try Files.read(path))
    }

    private func makeKey(_ path: String, _ comment: String) async throws {
        try Files.remove(path)
        let words = ["-q", "-t", "ed25519", "-N", "", "-C", comment, "-f", path]
        do {
            try await Command("ssh-keygen", words, host: deployments.host.environment).run()
        } catch {
            throw WorkspaceError(error, "no key can be made for ssh")
        }
    }
}
