import Testing

@testable import Egress

@Suite struct ServerNameTests {
    private func hello(_ name: String, records: Int = 1) -> [UInt8] {
        func sized(_ bytes: [UInt8], _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(bytes.count >> (8 * $0) & 255) } + bytes
        }
        let names = sized([0] + sized(Array(name.utf8), 2), 2)
        let extensions: [UInt8] = [0, 10] + sized([0, 2, 0, 29], 2) + [0, 0] + sized(names, 2)
        let body = [3, 3] + [UInt8](repeating: 7, count: 32) + sized([], 1) + sized([0x13, 1], 2) + sized([0], 1)
        let message = [1] + sized(body + sized(extensions, 2), 3)
        let size = (message.count + records - 1) / records
        return stride(from: 0, to: message.count, by: size).flatMap { start in
            [22, 3, 1] + sized(Array(message[start..<min(start + size, message.count)]), 2)
        }
    }

    @Test func `the name of a hello is found, in one record or in several`() {
        #expect(ServerName(hello("GitHub.com")) == .name("github.com"))
        #expect(ServerName(hello("github.com", records: 3)) == .name("github.com"))
    }

    @Test func `a hello that has not come whole is waited for`() {
        let bytes = hello("github.com")
        for count in 1..<bytes.count { #expect(ServerName(Array(bytes.prefix(count))) == .incomplete) }
    }

    @Test func `what is not a hello, or names nobody, leads nowhere`() {
        #expect(ServerName(Array("GET / HTTP/1.1\r\n".utf8)) == .absent)
        #expect(ServerName(hello("")) == .absent)
        #expect(ServerName(hello("a b")) == .absent)
    }
}
