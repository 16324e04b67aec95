import Egress
import FoundationEssentials
import TestSupport
import Testing

/// The real egress program on this host's own address, between a client and a server of the test.
@Suite struct TunnelTests {
    @Test func `a side that has said all still gets the whole answer`() async throws {
        try await withTunnel(
            """
            def serve(c):
                digest = hashlib.sha256()
                while data := c.recv(1 << 16): digest.update(data)
                c.sendall(digest.digest() + block)
            c = connect()
            c.sendall(block)
            c.shutdown(socket.SHUT_WR)
            answer = b""
            while data := c.recv(1 << 16): answer += data
            assert answer == hashlib.sha256(block).digest() + block, len(answer)
            """)
    }

    @Test func `what both sides said before they were joined arrives, although both have ended`() async throws {
        try await withTunnel(
            """
            def serve(c):
                c.sendall(b"hello")
                c.shutdown(socket.SHUT_WR)
                said.append(c.recv(100))
                stuck.set()
            said = []
            for _ in range(20):
                stuck.clear()
                threading.Thread(target=accept, daemon=True).start()
                c = connect()
                c.sendall(b"here")
                c.shutdown(socket.SHUT_WR)
                assert c.recv(100) == b"hello"
                stuck.wait()
            assert said == [b"here"] * 20, said
            """)
    }

    @Test func `a client that does not read holds up its server, not the egress's memory`() async throws {
        try await withTunnel(
            """
            sent = 0
            def serve(c):
                global sent
                c.setblocking(False)
                # Until nobody takes more: the buffers on the way are full.
                while select.select([], [c], [], 0.5)[1] and sent < 1 << 30: sent += c.send(block)
                stuck.set()
                c.setblocking(True)
            c = connect()
            stuck.wait()
            assert sent < 64 << 20, sent
            peak = [int(l.split()[1]) for l in open(f"/proc/{egress}/status") if l.startswith("VmHWM")][0]
            assert peak < 60_000, peak
            received = 0
            while data := c.recv(1 << 20): received += len(data)
            assert received == sent, (received, sent)
            """)
    }

    @Test func `an end that breaks off ends the other, and one that nobody answers is closed`() async throws {
        try await withTunnel(
            """
            def serve(c):
                c.recv(1)
                c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                c.close()
            def ends(c):
                try: return c.recv(1) == b""
                except ConnectionResetError: return True
            c = connect()
            c.sendall(b"x")
            assert ends(c)
            server.close()
            assert ends(connect())
            """)
    }

    /// Runs Python against a tunnel: `serve(c)` is what its server does with a connection, `connect()` a client's end.
    private func withTunnel(_ script: String) async throws {
        try await withTemporaryDirectory { directory in
            let (port, hostPort) = (try freePort(), try freePort())
            var configuration = EgressConfiguration(session: "t", address: "127.0.0.1", token: "t")
            configuration.ports = .init()
            configuration.ports.dns = nil
            (configuration.ports.http, configuration.ports.tls, configuration.ports.proxy) = (nil, nil, nil)
            (configuration.ports.provider, configuration.ports.canary) = (nil, nil)
            configuration.forwards = [.init(port: port, host: "127.0.0.1", hostPort: hostPort)]
            configuration.stateDirectory = directory
            let file = directory + "/egress.json"
            try write(String(decoding: try JSONEncoder().encode(configuration), as: UTF8.self), to: file)
            try write(prelude + script, to: directory + "/tunnel.py")
            let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
            _ = try await run(AgentCLIs.egress, ["run", file], environment: ["PATH": path]) { egress in
                defer { egress.killNow() }
                try await eventually("the egress is up") { egress.errors.contains("ready") }
                let words = [directory + "/tunnel.py", "\(port)", "\(hostPort)", "\(egress.processIdentifier)"]
                let finished = try await run("python3", words, environment: ["PATH": path])
                #expect(finished.succeeded, "\(finished)")
            }
        }
    }

    private let prelude = """
        import hashlib, os, select, socket, struct, sys, threading
        port, host_port, egress = (int(word) for word in sys.argv[1:])
        block = os.urandom(8 << 20)
        stuck = threading.Event()
        server = socket.create_server(("127.0.0.1", host_port))
        def accept():
            c, _ = server.accept()
            with c: serve(c)
        threading.Thread(target=accept, daemon=True).start()
        def connect(): return socket.create_connection(("127.0.0.1", port))

        """
}
