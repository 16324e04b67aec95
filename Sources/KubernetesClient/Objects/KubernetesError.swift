import YAML

/// Why a request to a cluster did not succeed.
package struct KubernetesError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Hashable, Sendable {
        /// The kubeconfig is missing, broken, or names what is not there.
        case kubeconfig
        /// A credential plug-in or token file gave nothing usable.
        case credentials
        /// No connection: the server is down, elsewhere, or not who it says it is.
        case unreachable
        /// 401
        case unauthorized
        /// 403
        case forbidden
        /// 404
        case notFound
        /// 409 of a create
        case alreadyExists
        /// 409: another manager owns a field, or the object has changed meanwhile
        case conflict
        /// 410: a watch or a page is too old
        case expired
        /// 400 and 422
        case invalid
        /// 429 after all retries
        case tooManyRequests
        /// 5xx, and what is not an answer of an API server
        case server
        /// The task was cancelled.
        case cancelled
    }

    package var code: Code
    package var message: String
    package var cause: String?
    package var hint: String?
    /// The server's own account, where it gave one.
    package var status: APIStatus?

    package init(_ code: Code, _ message: String, cause: String? = nil, hint: String? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
        self.hint = hint
    }

    /// - Parameter request: what was asked, such as `apply Deployment/web`.
    package init(_ status: APIStatus, request: String) {
        self.init(Self.code(of: status), request, cause: status.message)
        self.status = status
    }

    package var description: String {
        var text = message
        if let cause, !cause.isEmpty { text += ": \(cause)" }
        return text + hintLine(hint)
    }

    private static func code(of status: APIStatus) -> Code {
        switch status.code {
        case 400, 422: .invalid
        case 401: .unauthorized
        case 403: .forbidden
        case 404: .notFound
        case 409: status.reason == "AlreadyExists" ? .alreadyExists : .conflict
        case 410: .expired
        case 429: .tooManyRequests
        default: .server
        }
    }
}
