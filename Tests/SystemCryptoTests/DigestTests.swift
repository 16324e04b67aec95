import SystemCrypto
import Testing

@Suite struct DigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 matches the examples of FIPS 180`(message: String, digest: String) {
        #expect(sha256Hex(message) == digest)
        #expect(sha256Hex(Array(message.utf8)) == digest)
    }

    @Test func `SHA-256 of a million letters matches FIPS 180`() {
        #expect(
            sha256Hex([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
                == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }

    /// RFC 4231, test cases 1 to 4, 6 and 7.
    @Test(arguments: [
        (
            [UInt8](repeating: 0x0b, count: 20), "Hi There",
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
        ),
        (
            Array("Jefe".utf8), "what do ya want for nothing?",
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
        ),
        (
            [UInt8](repeating: 0xaa, count: 131),
            "This is a test using a larger than block-size key and a larger than block-size data. "
                + "The key needs to be hashed before being used by the HMAC algorithm.",
            "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"
        ),
        ([], "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
    ])
    func hmacMatchesRFC4231(key: [UInt8], message: String, code: String) {
        #expect(hmacSHA256Hex(key: key, message: Array(message.utf8)) == code)
    }

    @Test func `HMAC of binary data matches RFC 4231`() {
        #expect(
            hmacSHA256Hex(key: [UInt8](repeating: 0xaa, count: 20), message: [UInt8](repeating: 0xdd, count: 50))
                == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
        #expect(
            hmacSHA256Hex(key: Array(1...25), message: [UInt8](repeating: 0xcd, count: 50))
                == "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
    }

    @Test func `comparison in constant time tells equal from different`() {
        #expect(isEqualInConstantTime([], []))
        #expect(isEqualInConstantTime([1, 2], [1, 2]))
        #expect(!isEqualInConstantTime([1, 2], [1, 3]))
        #expect(!isEqualInConstantTime([1], [1, 2]))
    }
}
