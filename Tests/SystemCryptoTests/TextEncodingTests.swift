import SystemCrypto
import Testing

@Suite struct TextEncodingTests {
    /// RFC 4648 section 10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 matches RFC 4648`(text: String, encoded: String) {
        #expect(base64(Array(text.utf8)) == encoded)
        #expect(base64Decoded(encoded) == Array(text.utf8))
    }

    @Test func `base64 of every byte is decoded again`() {
        let bytes = (0...255).map { UInt8($0) }
        for count in 0...256 {
            #expect(base64Decoded(base64(Array(bytes.prefix(count)))) == Array(bytes.prefix(count)))
        }
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zg==\n", "Z g=", "Zg=a", "====", "Z===", "Zg==Zg==", "Zm9v\u{0}", "Zm-_"])
    func `what is no base64 is refused`(text: String) {
        #expect(base64Decoded(text) == nil)
    }

    @Test func `hexadecimal is lower case and padded`() {
        #expect(hex([0, 1, 0xAB, 0xFF]) == "0001abff")
        #expect(hex([]) == "")
    }
}
