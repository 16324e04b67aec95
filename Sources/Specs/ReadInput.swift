package import Compose

/// The bytes of a file that a user named.
package func readInput(_ path: String, what: String, tree: FileTree) throws(StackError) -> [UInt8] {
    do {
        return try tree.read(path)
    } catch {
        switch error.code {
        case .absent: throw StackError(.notFound, "\(what) \(path) does not exist", cause: nil)
        case .notPermitted: throw StackError(denied: "\(what) \(path)")
        case .notAFile, .notADirectory, .tooLarge, .leadsElsewhere, .failed:
            throw StackError(.refused, "\(what): \(error)")
        }
    }
}
