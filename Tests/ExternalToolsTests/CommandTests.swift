import ExternalTools
import Glibc
import TestSupport
import Testing

@Suite struct CommandTests {
    @Test(arguments: [
        (["plain-1.2/x:y=z"], "plain-1.2/x:y=z"), (["a b"], "'a b'"), (["it's"], "'it'\\''s'"), ([""], "''"),
        (["$(x)", "ü"], "'$(x)' 'ü'"), (["a\nb"], "'a\nb'"),
    ])
    func aCommandIsShownAsAShellReadsIt(_ arguments: [String], _ text: String) async throws {
        #expect(Command("p", arguments, host: [:]).description == "p " + text)
        let read = try await Command("sh", ["-c", "printf '%s|' " + text], host: hostEnvironment).run()
        #expect(read.text == arguments.map { $0 + "|" }.joined())
    }

    @Test func `output errors and the exit code are kept whole`() async throws {
        let output = try await Command(
            "sh", ["-c", "head -c 3000000 /dev/zero; echo oops >&2; exit 7"], host: hostEnvironment
        ).result()
        #expect(output.status == 7)
        #expect(output.standardOutput.count == 3_000_000)
        #expect(output.standardError == "oops\n")
    }

    @Test func `a failure tells code errors and the pasteable command but no secret`() async throws {
        let command = Command(
            "sh", ["-c", "echo broken >&2; exit 3"], host: hostEnvironment, environment: ["TOKEN": "hush-1"],
            input: Array("hush-2".utf8))
        let failure = await #expect(throws: CommandFailure.self) { try await command.run() }
        #expect(failure?.code == .exited(3))
        #expect(failure?.standardError == "broken\n")
        let text = failure?.description ?? ""
        #expect(text.contains("sh -c 'echo broken >&2; exit 3'"))
        #expect(!text.contains("hush") && !"\(command)".contains("hush"))
    }

    @Test func `the end of a long error output is kept`() async throws {
        let output = try await Command(
            "sh", ["-c", "yes line | head -n 60000 >&2; echo last >&2"], host: hostEnvironment
        ).result()
        #expect(output.standardError.hasSuffix("line\nlast\n"))
        #expect(output.standardError.utf8.count <= Command.errorLimit)
    }

    @Test func `a missing program names the package that gives it`() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            try await Command("no-such-podman", [], host: hostEnvironment).run()
        }
        #expect(failure?.code == .programMissing)
        #expect(failure?.description.contains("no-such-podman") == true)
        #expect(installationHint("podman") == "apt-get install podman")
    }

    @Test func `input and environment reach the program`() async throws {
        let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
        #expect(try await Command("cat", [], host: hostEnvironment, input: bytes).run().standardOutput == bytes)
        #expect(
            try await Command("sh", ["-c", "echo $GREETING"], host: hostEnvironment, environment: ["GREETING": "hi"])
                .run().text == "hi")
        #expect(try await Command("cat", [], host: hostEnvironment).run().standardOutput == [])
    }

    @Test func `lines come from both streams the last without its end`() async throws {
        let seen = Seen()
        let status = try await Command(
            "sh", ["-c", "printf 'a\\r\\n\\nlast'; echo e >&2; exit 4"], host: hostEnvironment
        ).lines {
            stream, line in
            await seen.add(stream, line)
        }
        #expect(status == 4)
        #expect(await seen.output == ["a", "", "last"])
        #expect(await seen.errors == ["e"])
    }

    @Test func `a cancelled task ends the program and its children`() async throws {
        try await withTemporaryDirectory { directory in
            let task = Task {
                try await Command(
                    "sh", ["-c", "echo $$ > \(directory)/pid; sleep 1000 & echo $! > \(directory)/child; wait"],
                    host: hostEnvironment
                )
                .run()
            }
            try await eventually("the program runs") { exists(directory + "/child") }
            task.cancel()
            let failure = await #expect(throws: CommandFailure.self) { try await task.value }
            #expect(failure?.code == .cancelled)
            for file in ["pid", "child"] {
                let pid = try read("\(directory)/\(file)").trimmingCharacters()
                try await eventually("\(file) is gone") {
                    // A zombie is gone too: its reaper is not this test's concern.
                    guard let stat = try? read("/proc/\(pid)/stat") else { return true }
                    return stat.contains(") Z ")
                }
            }
        }
    }

    @Test func `a program that changes things may finish when its task is cancelled`() async throws {
        try await withTemporaryDirectory { directory in
            let task = Task {
                try await Command(
                    "sh", ["-c", "touch \(directory)/begun; sleep 1; touch \(directory)/done"], host: hostEnvironment,
                    cancellation: .finish
                ).run()
            }
            try await eventually("the program runs") { exists(directory + "/begun") }
            task.cancel()
            let failure = await #expect(throws: CommandFailure.self) { try await task.value }
            #expect(failure?.code == .cancelled)
            #expect(exists(directory + "/done"))
        }
    }

    /// podman forgets the exit code of a program that ends while it handles a resize: it is told of true ones only.
    @Test func `a program hears of a size only where its terminal has another one`() async throws {
        let (typed, keys) = AsyncStream.makeStream(of: [UInt8].self)
        let (sizes, resize) = AsyncStream.makeStream(of: TerminalSize.self)
        let screen = Screen()
        let terminal = TerminalSizes(TerminalSize(columns: 100, rows: 30), later: sizes)
        let script = "trap 'stty size' WINCH; echo ready; until read line; do :; done; exit 5"
        let code = try await Command("sh", ["-c", script], host: hostEnvironment).run(
            on: CommandStreams(input: typed, terminal: terminal) { _, bytes in
                for event in await screen.add(bytes) {
                    switch event {
                    case "ready":
                        for _ in 0..<50 { resize.yield(TerminalSize(columns: 100, rows: 30)) }
                        resize.yield(TerminalSize(columns: 70, rows: 20))
                    case "20 70":
                        for _ in 0..<50 { resize.yield(TerminalSize(columns: 70, rows: 20)) }
                        resize.yield(TerminalSize(columns: 60, rows: 10))
                    case "10 60": keys.yield(Array("\n".utf8))
                    default: break
                    }
                }
            })
        #expect(code == 5)
        #expect(await screen.lines.filter { !$0.isEmpty } == ["ready", "20 70", "10 60"])
    }

    @Test(arguments: [
        ("https://user:token@github.com/o/r", "https://github.com/o/r"), ("git@github.com:o/r", "git@github.com:o/r"),
        ("ssh://git@host/o/r", "ssh://git@host/o/r"), ("https://host/a@b", "https://host/a@b"),
        ("https://token@host/o", "https://host/o"), ("/local/path", "/local/path"),
    ])
    func `a remote is shown without credentials`(_ url: String, _ shown: String) {
        #expect(withoutCredentials(url) == shown)
    }

    @Test func `a program that is lent files reads them, and nothing where it is to read nothing`() async throws {
        try await withTemporaryDirectory { directory in
            try write("typed\n", to: directory + "/in")
            for readsInput in [true, false] {
                let input = open(directory + "/in", O_RDONLY | O_CLOEXEC)
                let output = open(directory + "/out", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
                defer { for descriptor in [input, output] { close(descriptor) } }
                let streams = CommandStreams(files: StreamFiles(input: input, output: output, error: output))
                let status = try await Command("cat", [], host: hostEnvironment)
                    .run(on: readsInput ? streams : streams.withoutInput)
                #expect(status == 0)
                #expect(try read(directory + "/out") == (readsInput ? "typed\n" : ""))
                // What it was not to read is there for who reads next.
                #expect(lseek(input, 0, SEEK_CUR) == (readsInput ? 6 : 0))
            }
        }
    }

    @Test func `git tells the commit and the remote`() async throws {
        try await withTemporaryDirectory { directory in
            #expect(try await Git(inherited: hostEnvironment).head(directory) == nil)
            let script =
                "git init -q . && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git remote add origin https://t:u@h/r"
            try await Command("sh", ["-c", script], host: hostEnvironment, workingDirectory: directory).run()
            #expect(try await Git(inherited: hostEnvironment).head(directory)?.count == 40)
            #expect(try await Git(inherited: hostEnvironment).remoteURL(directory) == "https://h/r")
        }
    }
}

private actor Seen {
    private(set) var output: [String] = []
    private(set) var errors: [String] = []

    func add(_ stream: OutputStream, _ line: String) {
        if stream == .standardOutput { output.append(line) } else { errors.append(line) }
    }
}

/// The lines that a terminal shows.
private actor Screen {
    private(set) var lines: [String] = []
    private var rest = ""

    /// - Returns: the lines that are complete with this.
    func add(_ bytes: [UInt8]) -> [String] {
        rest += String(decoding: bytes, as: UTF8.self).replacing("\r\n", with: "\n")
        var parts = rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        rest = parts.removeLast()
        lines += parts
        return parts
    }
}
