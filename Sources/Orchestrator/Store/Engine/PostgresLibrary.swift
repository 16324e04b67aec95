import CLibPQ

/// The functions of libpq, loaded when the first connection wants them.
enum PostgresLibrary {
    private static let loaded: Result<libpq_functions, SQLError> = {
        // Every member is set before anybody sees it.
        let functions = UnsafeMutablePointer<libpq_functions>.allocate(capacity: 1)
        defer { functions.deallocate() }
        guard let reason = libpq_load(functions) else { return .success(functions.pointee) }
        return .failure(
            SQLError(
                kind: .unavailable,
                message: "PostgreSQL's client library cannot be loaded: \(String(cString: reason)); "
                    + "install version 14 or newer: apt-get install libpq5"))
    }()

    /// - Throws: ``SQLError`` (`unavailable`) where this host has no libpq.
    static func functions() throws(SQLError) -> libpq_functions { try loaded.get() }
}
