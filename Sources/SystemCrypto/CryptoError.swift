import COpenSSL

/// OpenSSL could not do what was asked.
package struct CryptoError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was asked for.
    package enum Code: String, Sendable {
        case random
        /// A key is not of the kind, form or length that is wanted.
        case key
        /// A signature could not be made.
        case signature
        /// A sealed text was changed, or sealed with another key.
        case sealed
    }

    package var code: Code
    /// What failed and how to fix it.
    package var message: String
    /// What OpenSSL says, if anything.
    package var cause: String?

    package init(_ code: Code, _ message: String, cause: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { cause.map { "\(message): \($0)" } ?? message }

    /// The oldest error of OpenSSL's queue on this thread, which is emptied.
    static func fromQueue(_ code: Code, _ message: String) -> CryptoError {
        let number = ERR_get_error()
        ERR_clear_error()
        let cause = number == 0 ? nil : ERR_reason_error_string(number).map { String(cString: $0) }
        return CryptoError(code, message, cause: cause)
    }
}
