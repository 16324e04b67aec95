import Testing

@testable import Egress

@Suite struct IPAddressTests {
    @Test(arguments: [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.100.100.200",
        "0.0.0.0", "224.0.0.1", "255.255.255.255", "198.19.0.1", "168.63.129.16", "::1", "::", "fe80::1",
        "fd00:ec2::254",
        "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1", "2002:a00:1::", "2001::1", "2001:db8::1",
        "ff02::1",
        "::10.0.0.1",
    ])
    func `an address that is not of the public internet is refused`(_ text: String) throws {
        #expect(try !#require(IPAddress(text)).isPublic)
    }

    @Test(arguments: [
        "1.1.1.1", "140.82.121.4", "172.32.0.1", "172.15.0.1", "100.63.0.1", "100.128.0.1", "192.0.1.1",
        "2606:4700::1111",
        "2001:4860:4860::8888", "::ffff:1.1.1.1",
    ])
    func `an address of the public internet is not`(_ text: String) throws {
        #expect(try #require(IPAddress(text)).isPublic)
    }

    @Test(arguments: ["0x7f.1", "127.1", "2130706433", "010.0.0.1", "1.2.3", "", "::g"])
    func `other ways to write an address are no address`(_ text: String) {
        #expect(IPAddress(text) == nil)
    }
}
