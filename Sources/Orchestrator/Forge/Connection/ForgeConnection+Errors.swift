extension ForgeConnection {
    private struct Refusal: Decodable {
        var message: String?
        var error: String?
        var errors: [Item]?

        struct Item: Decodable {
            var message: String?
            var field: String?
            var code: String?

            init(from decoder: any Decoder) throws {
                guard let values = try? decoder.container(keyedBy: Key.self) else { return }
                message = try? values.decode(String.self, forKey: .message)
                field = try? values.decode(String.self, forKey: .field)
                code = try? values.decode(String.self, forKey: .code)
            }

            enum Key: CodingKey { case message, field, code }

            var text: String { message ?? [field, code].compactMap { $0 }.joined(separator: " ") }
        }

        /// What the forge says, in one line.
        var text: String {
            let items = (errors ?? []).map(\.text).filter { !$0.isEmpty }
            return ([message ?? error].compactMap { $0 } + items).joined(separator: ": ")
        }
    }

    /// What an answer that is not a success means to an operator. The status decides, not the words.
    static func error(_ response: ForgeResponse, _ request: ForgeRequest) -> OrchestratorError {
        let refusal = try? response.decoded(Refusal.self, for: request.purpose)
        let words = redacted(refusal?.text ?? "")
        let cause = words.isEmpty ? "HTTP status \(response.status)" : "HTTP status \(response.status): \(words)"
        let (code, hint): (OrchestratorError.Code, String?) =
            switch response.status {
            // The operator has to fix it: what was to be done waits for that.
            case 401: (.unavailable, "the token has expired or was revoked: enter a new one")
            case 403: (.notPermitted, permissionHint(response))
            case 404, 410: (.missing, "it does not exist, or the token does not see it")
            case 409, 422: (.failed, nil)
            case 429, 500...: (.unavailable, "it is tried again later")
            default: (.failed, nil)
            }
        return OrchestratorError(code, "cannot \(request.purpose)", cause: cause, hint: hint)
    }

    private static func permissionHint(_ response: ForgeResponse) -> String {
        guard let needed = response.headers["x-accepted-github-permissions"] else {
            return "give the token or app the permission, or unlock what is locked"
        }
        return "the app needs the permission \(needed)"
    }
}
