import SystemCrypto

/// What all forges' webhooks are checked for before anything of them is read.
enum WebhookSignature {
    /// GitHub sends no more.
    static let bodyLimit = 25 << 20

    static func checkSize(_ request: WebhookRequest) throws(OrchestratorError) {
        guard request.body.count <= bodyLimit else {
            throw OrchestratorError(.invalid, "the webhook's body is larger than \(bodyLimit >> 20) MiB")
        }
    }

    /// In a time that tells nothing about the right one.
    static func check(_ right: String, equals sent: String) throws(OrchestratorError) {
        guard isEqualInConstantTime(Array(right.utf8), Array(sent.utf8)) else { throw refused }
    }

    static var refused: OrchestratorError {
        OrchestratorError(
            .notPermitted, "the webhook's signature is missing or wrong",
            hint: "enter the same secret at the forge and in forge.webhook-secret-file")
    }
}

extension WebhookRequest {
    /// The delivery that the headers of these names describe.
    func delivery(
        _ forge: ForgeKind, id: String, event: String, body: [UInt8]
    ) throws(OrchestratorError) -> Delivery {
        guard let id = headers[id], let event = headers[event], Self.isWord(id), Self.isWord(event) else {
            throw OrchestratorError(.invalid, "the webhook does not say which delivery and event it is")
        }
        return Delivery(forge: forge, id: id, event: event, body: body)
    }

    private static func isWord(_ text: String) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || "-_. ".utf8.contains(byte)
            }
    }

    /// The JSON of a webhook of the content type `application/x-www-form-urlencoded`; nil for another type.
    var formPayload: [UInt8]? {
        guard headers["content-type"]?.lowercased().hasPrefix("application/x-www-form-urlencoded") ?? false else {
            return nil
        }
        for pair in body.split(separator: UInt8(ascii: "&")) where pair.starts(with: "payload=".utf8) {
            return formDecoded(pair.dropFirst("payload=".utf8.count))
        }
        return []
    }

    private func formDecoded(_ text: ArraySlice<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): result.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                rest = rest.dropFirst(2)
                result.append(UInt8(digits, radix: 16) ?? UInt8(ascii: "?"))
            default: result.append(byte)
            }
        }
        return result
    }
}
