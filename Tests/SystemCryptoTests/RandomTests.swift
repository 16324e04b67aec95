import SystemCrypto
import Testing

@Suite struct RandomTests {
    @Test(arguments: [0, 1, 31, 4096])
    func `random bytes have the length asked for`(count: Int) throws {
        #expect(try randomBytes(count).count == count)
        #expect(try randomAlphanumeric(count).utf8.count == count)
    }

    @Test func `random values do not repeat`() throws {
        #expect(Set(try (0..<1000).map { _ in try randomUUID() }).count == 1000)
        #expect(Set(try (0..<1000).map { _ in try randomAlphanumeric(24) }).count == 1000)
    }

    /// Pearson's statistic over 62 cells stays below 150 but for one run in 10⁸; a modulo of 256 would exceed it by far.
    @Test func `every alphanumeric is as likely as another`() throws {
        let text = try randomAlphanumeric(62 * 4000)
        var counts: [Character: Int] = [:]
        for character in text { counts[character, default: 0] += 1 }
        let statistic = counts.values.reduce(0.0) { $0 + (Double($1) - 4000) * (Double($1) - 4000) / 4000 }
        #expect(counts.count == 62)
        #expect(counts.keys.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
        #expect(statistic < 150)
    }

    @Test func `UUIDs are of version four`() throws {
        for _ in 0..<100 {
            let parts = try randomUUID().split(separator: "-")
            #expect(parts.map(\.count) == [8, 4, 4, 4, 12])
            #expect(parts[2].first == "4")
            #expect("89ab".contains(try #require(parts[3].first)))
            #expect(parts.joined().allSatisfy { $0.isHexDigit && !$0.isUppercase })
        }
    }
}
