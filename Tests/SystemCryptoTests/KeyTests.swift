import FoundationEssentials
import SystemCrypto
import Testing

/// RS256 against vectors that OpenSSL's own command line made; AES-256-GCM against what must not open.
@Suite struct KeyTests {
    private struct Vectors: Decodable {
        var private_key_pkcs1: String
        var private_key_pkcs8: String
        var vectors: [Vector]

        struct Vector: Decodable {
            var signing_input: String
            var jwt: String
        }
    }

    private func vectors() throws -> Vectors {
        let file = #filePath.replacing("KeyTests.swift", with: "Recorded/jwt.json")
        return try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: URL(filePath: file)))
    }

    @Test func `a token that GitHub takes is signed alike from PKCS1 and PKCS8`() throws {
        let file = try vectors()
        #expect(file.vectors.count == 2)
        for pem in [file.private_key_pkcs1, file.private_key_pkcs8] {
            let key = try RSAPrivateKey(pem: Array(pem.utf8))
            for vector in file.vectors {
                let signature = try key.signature(of: Array(vector.signing_input.utf8))
                #expect("\(vector.signing_input).\(base64URL(signature))" == vector.jwt)
            }
        }
    }

    @Test func `what is no private key is refused and not shown`() throws {
        let error = #expect(throws: CryptoError.self) { try RSAPrivateKey(pem: Array("hunter2".utf8)) }
        #expect(error?.code == .key)
        #expect(error?.description.contains("hunter2") == false)
        let key = try RSAPrivateKey(pem: Array(vectors().private_key_pkcs1.utf8))
        #expect("\(key)" == "RSA private key" && String(reflecting: key) == "RSA private key")
    }

    @Test(arguments: [0, 1, 15, 16, 17, 4096]) func `a sealed text opens again`(length: Int) throws {
        let key = try SealingKey.random()
        let text = try randomBytes(length)
        let sealed = try key.seal(text, context: "a")
        #expect(try key.open(sealed, context: "a") == text)
        #expect(try key.seal(text, context: "a") != sealed)
    }

    @Test func `one changed bit, another context or another key does not open`() throws {
        let key = try SealingKey.random()
        let sealed = try key.seal(Array("secret".utf8), context: "a")
        for position in sealed.indices {
            var changed = sealed
            changed[position] ^= 1
            #expect(throws: CryptoError.self) { try key.open(changed, context: "a") }
        }
        #expect(throws: CryptoError.self) { try key.open(sealed, context: "b") }
        #expect(throws: CryptoError.self) { try SealingKey.random().open(sealed, context: "a") }
        #expect(throws: CryptoError.self) { try key.open(Array(sealed.prefix(27)), context: "a") }
        #expect(throws: CryptoError.self) { try SealingKey([1, 2, 3]) }
    }

    @Test func `base64url has no padding and none of a URL's own letters`() {
        #expect(base64URL([0xfb, 0xff, 0xfe]) == "-__-")
        #expect(base64URL([1]) == "AQ")
    }
}
