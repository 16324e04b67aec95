import Egress
import Testing

@testable import Workspaces

@Suite struct SessionAddressesTests {
    @Test func `a block is neither another session's nor one that the host has a way to`() throws {
        let table = """
            Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
            eth0\t00000000\t0101A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0
            podman1\t0000800A\t00000000\t0001\t0\t0\t0\t0000C0FF\t0\t0\t0
            """
        let routed = SessionAddresses.routed(table)
        #expect(routed == [0x0A80_0000...0x0ABF_FFFF])
        for _ in 0..<200 {
            let block = try SessionAddresses.choose(besides: [], routed: routed).block
            #expect((8192..<16384).contains(block))
        }
        let all = Set(0..<16384)
        #expect(try SessionAddresses.choose(besides: all.subtracting([77]), routed: []).block == 77)
        #expect(throws: WorkspaceError.self) { try SessionAddresses.choose(besides: all, routed: []) }
    }

    @Test(arguments: [(0, "$0.0000"), (49_999, "$0.0000"), (50_000, "$0.0001"), (1_234_567_891, "$1.2346")])
    func `what is spent is told in dollars`(_ billionths: Int, _ text: String) {
        #expect(SessionService.dollars(billionths) == text)
    }

    @Test func `the addresses of a block lie in it, and no two are the same`() {
        let addresses = SessionAddresses(block: 16383)
        #expect(addresses.egress == "10.255.254.2" && addresses.agent == "10.255.254.3")
        #expect(addresses.companion(0) == "10.255.254.10" && addresses.egressOutside == "10.255.255.2")
        #expect(addresses.gateway == "10.255.255.1")
        #expect(addresses.range == 0x0AFF_FE00...0x0AFF_FFFF)
    }

    @Test(arguments: [
        ("https://github.com/o/r.git", "github.com/o/r"), ("git@github.com:o/r.git", "github.com/o/r"),
        ("ssh://git@gitlab.com/g/s/r", "gitlab.com/g/s/r"),
        ("https://user@Git.Example.com/o/r/", "git.example.com/o/r"),
        ("https://git.example.com:8443/o/r.git", "git.example.com:8443/o/r"),
        ("https://git.example.com:443/o/r.git", "git.example.com/o/r"),
    ])
    func `a forge's repository is found in every form of its address`(_ remote: String, _ place: String) throws {
        let repository = try #require(ForgeRepository(remote))
        #expect("\(repository.place)/\(repository.path)" == place)
        #expect(repository.route(environment: [:], allowsPush: false).place == place)
    }

    @Test(arguments: [
        "/srv/git/r.git", "file:///srv/r", "../r", "https://10.0.0.1/o/r", "https://localhost/o/r",
        "ssh://git@h.example:2222/o/r", "https://h.example:0/o/r", "https://h.example:x/o/r",
        "https://h.example:99999/o/r",
        "https://github.com/o/../r", "https://github.com/o r", "git@github.com:",
    ])
    func `what is no repository of a forge is none`(_ remote: String) {
        #expect(ForgeRepository(remote) == nil)
    }

    @Test func `a forge's token goes to that forge alone`() throws {
        let environment = ["GITHUB_TOKEN": "secret"]
        let github = try #require(ForgeRepository("https://github.com/o/r"))
        #expect(
            github.route(environment: environment, allowsPush: false).authorization
                == "Basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0")
        for address in ["https://github.com.evil.example/o/r", "https://github.com:8443/o/r"] {
            let other = try #require(ForgeRepository(address))
            #expect(other.route(environment: environment, allowsPush: false).authorization == nil)
        }
    }
}
